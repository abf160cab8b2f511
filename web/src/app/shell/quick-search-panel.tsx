import { Kbd, Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useCan } from '@/entities/session/session';
import { useT } from '@/i18n/provider';
import { onlyMatch } from '@/lib/only-match';
import { ErrorAlert } from '@/ui/error-alert';
import { LinkButton } from '@/ui/link-button';
import { takeEarlySearch } from './early-search';
import classes from './quick-search.module.css';
import { bookingLink, HitRow, hitLink } from './quick-search-hit';
import type { Hit, Source } from './quick-search-sources';

const DELAY_MS = 150;

/** Searches all sources. The results are cached only while the dialog is open. */
const searchQuery = (sources: Source[], text: string) =>
  queryOptions({
    queryKey: ['quick-search', sources.map(({ key }) => key), text],
    queryFn: ({ signal }) => Promise.all(sources.map((source) => source.find(text, signal))),
    gcTime: 0,
  });

const numberOf = (hit: Hit) => (hit.kind === 'patient' ? hit.patient.hn : hit.appointment.number);

interface QuickSearchPanelProps {
  box: RefObject<HTMLInputElement | null>;
  sources: Source[];
  onClose: () => void;
}

/**
 * The search box and its results. Arrow keys move through the results, which are links; Enter opens, Ctrl Enter books.
 * In the box, Enter means the first result. Only results for the current text can be acted on: Enter waits for them,
 * and then acts if the match is unambiguous (onlyMatch). Results for an older text stay visible but inert until they
 * are replaced.
 */
export function QuickSearchPanel({ box, sources, onClose }: QuickSearchPanelProps) {
  const t = useT();
  const mayBook = useCan()('APPOINTMENT.CREATE');
  const router = useRouter();
  const root = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [searchText, setSearchText] = useState('');
  /** Set when Enter is pressed before the results have arrived. Further input in the box clears it. */
  const [pendingAction, setPendingAction] = useState<'open' | 'book' | null>(null);
  const searchLater = useDebouncedCallback(setSearchText, DELAY_MS);
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    ...searchQuery(sources, searchText),
    enabled: searchText !== '',
    placeholderData: keepPreviousData,
  });
  const groups = searchText === '' ? [] : (data ?? []);
  const hits = groups.flat();
  const typed = text.trim();
  const settled = typed !== '' && searchText === typed && !isPending && !isPlaceholderData;

  const go = (hit: Hit | undefined, book: boolean) => {
    if (!hit || (book && !mayBook)) return;
    onClose();
    void router.navigate(book ? bookingLink(hit) : hitLink(hit));
  };
  useLayoutEffect(() => {
    const early = box.current && takeEarlySearch(box.current);
    if (!early) return;
    setText(early.text);
    setSearchText(early.text.trim());
    setPendingAction(early.enter);
  }, [box]);
  useEffect(() => {
    if (!pendingAction || !settled) return;
    setPendingAction(null);
    if (!error) go(onlyMatch(hits, typed, numberOf), pendingAction === 'book');
  });
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const links = [...(root.current?.querySelectorAll<HTMLElement>('ul:not([inert]) [data-hit]') ?? [])];
    const inBox = event.target === box.current;
    const at = links.findIndex((link) => link.parentElement?.contains(event.target as Node));
    const move = (to: HTMLElement | null | undefined) => {
      event.preventDefault();
      to?.focus();
    };
    const mod = event.ctrlKey || event.metaKey;
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      // By default, Escape only clears a search input.
      event.preventDefault();
      onClose();
    } else if (event.key === 'ArrowDown') move(links[at + 1]);
    else if (event.key === 'ArrowUp') move(at > 0 ? links[at - 1] : box.current);
    else if (event.key === 'Enter' && (inBox || (mod && at >= 0))) {
      event.preventDefault();
      if (!inBox) go(hits[at], true);
      else if (settled) go(hits[0], mod);
      else {
        setSearchText(typed);
        setPendingAction(mod ? 'book' : 'open');
      }
    } else if (!inBox && !mod && !event.altKey && (/^.$/u.test(event.key) || event.key === 'Backspace')) {
      // Typing continues in the box, wherever the focus is.
      if (event.key !== ' ' && at >= 0) box.current?.focus();
    }
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the box and the links inside.
    <div ref={root} data-focus-place onKeyDown={press}>
      <TextInput
        ref={box}
        type="search"
        size="md"
        aria-label={t.quickSearch.title}
        placeholder={t.quickSearch.placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        value={text}
        leftSection={<IconSearch size={18} aria-hidden />}
        rightSection={typed !== '' && !settled && <Loader size="xs" aria-hidden />}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          setPendingAction(null);
          searchLater(value.trim());
        }}
      />
      <Text role="status" size="sm" c="dimmed" className={classes.status}>
        {typed === ''
          ? t.quickSearch.start
          : !settled
            ? t.quickSearch.searching
            : !error && (hits.length > 0 ? t.quickSearch.found(hits.length) : t.quickSearch.none(searchText))}
      </Text>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!error &&
        groups.map(
          (group, index) =>
            group.length > 0 && (
              <ul
                key={sources[index]?.key}
                className={classes.hits}
                aria-label={sources[index]?.title(t)}
                aria-busy={!settled}
                inert={!settled}
              >
                {group.map((hit) => (
                  <HitRow
                    key={hit.key}
                    hit={hit}
                    first={hit === hits[0]}
                    mayBook={mayBook}
                    onFollow={onClose}
                  />
                ))}
              </ul>
            ),
        )}
      {settled && !error && hits.length === 0 && <Nothing onClose={onClose} />}
      <Keys mayBook={mayBook} />
    </div>
  );
}

function Nothing({ onClose }: { onClose: () => void }) {
  const t = useT();
  const mayCreate = useCan()('PATIENT.CREATE');
  return (
    <div className={classes.nothing}>
      <Text size="sm">{t.quickSearch.noneHint}</Text>
      {mayCreate && (
        <LinkButton to="/app/patient-management/create" variant="light" mt="xs" onClick={onClose}>
          {t.quickSearch.register}
        </LinkButton>
      )}
    </div>
  );
}

/** The keyboard shortcuts; not shown on phones. */
function Keys({ mayBook }: { mayBook: boolean }) {
  const { move, open, book, close } = useT().quickSearch.keys;
  const keys: [string, string][] = [
    ['↑ ↓', move],
    ['Enter', open],
    ...(mayBook ? [['Ctrl Enter', book] as [string, string]] : []),
    ['Esc', close],
  ];
  return (
    <p className={classes.keys}>
      {keys.map(([key, does]) => (
        <span key={key}>
          <Kbd size="xs">{key}</Kbd> {does}
        </span>
      ))}
    </p>
  );
}
