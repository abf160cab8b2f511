import { useT } from '@/i18n/provider';
import classes from './change-list.module.css';

/** A change as text. An empty text means no value. */
export type Change = { key: string; label: string } & (
  | { kind: 'value'; before: string; after: string }
  | { kind: 'list'; added: string[]; removed: string[] }
);

/** The changes by field: old and new value, or items added to (+) and removed from (−) a list. */
export function ChangeList({ changes, label }: { changes: Change[]; label?: string }) {
  return (
    <dl className={classes.list} aria-label={label}>
      {changes.map((change) => (
        <div key={change.key} className={classes.change}>
          <dt className={classes.label}>{change.label}</dt>
          <dd className={classes.values}>
            {change.kind === 'list' ? (
              <Items added={change.added} removed={change.removed} />
            ) : (
              <Values before={change.before} after={change.after} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Values({ before, after }: { before: string; after: string }) {
  return (
    <>
      {before !== '' && <Removed>{before}</Removed>}
      {before !== '' && after !== '' && <span aria-hidden className={classes.arrow} />}
      {after !== '' && <Added>{after}</Added>}
    </>
  );
}

function Items({ added, removed }: { added: string[]; removed: string[] }) {
  return (
    <ul className={classes.items}>
      {added.map((item) => (
        <li key={`+${item}`}>
          <Added>{item}</Added>
        </li>
      ))}
      {removed.map((item) => (
        <li key={`-${item}`}>
          <Removed>{item}</Removed>
        </li>
      ))}
    </ul>
  );
}

function Added({ children }: { children: string }) {
  const t = useT();
  return (
    <ins className={classes.added}>
      <span aria-hidden>+</span>
      <span className="heard">{t.audit.added} </span>
      <span>{children}</span>
    </ins>
  );
}

function Removed({ children }: { children: string }) {
  const t = useT();
  return (
    <del className={classes.removed}>
      <span aria-hidden>−</span>
      <span className="heard">{t.audit.removed} </span>
      <span>{children}</span>
    </del>
  );
}
