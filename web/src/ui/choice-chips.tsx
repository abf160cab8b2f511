import { type ReactNode, type Ref, useImperativeHandle, useRef } from 'react';
import classes from './choice-chips.module.css';

export interface Choice {
  value: string;
  label: ReactNode;
  /** Below the label: seats, a department. */
  note?: ReactNode;
  /** The whole text, where the note is cut. */
  title?: string;
  disabled?: boolean;
  tone?: 'free' | 'few' | 'full' | 'none';
  /** The colour of a service. */
  colour?: string;
}

interface ChoiceChipsProps {
  label: string;
  name: string;
  choices: Choice[];
  value: string;
  onChange: (value: string) => void;
  layout: 'days' | 'slots' | 'services';
  disabled?: boolean;
  ref?: Ref<ChoiceChipsHandle>;
}

export interface ChoiceChipsHandle {
  /** Focuses the first choice that is not disabled. */
  focusFirst: () => void;
  /** Focuses the chosen one, or the first if there is none. */
  focusChosen: () => void;
}

/** One of several choices, as native radios: arrow keys move, Enter submits the form. */
export function ChoiceChips(props: ChoiceChipsProps) {
  const { label, name, choices, value, onChange, layout, disabled, ref } = props;
  const group = useRef<HTMLDivElement>(null);
  useImperativeHandle(ref, () => {
    const find = (selector: string) => group.current?.querySelector<HTMLElement>(selector);
    return {
      focusFirst: () => find('input:not(:disabled)')?.focus(),
      focusChosen: () => (find('input:checked') ?? find('input'))?.focus(),
    };
  });
  return (
    <div ref={group} role="radiogroup" aria-label={label} className={classes[layout]}>
      {choices.map((choice) => (
        <label
          key={choice.value}
          className={classes.chip}
          data-tone={choice.tone}
          data-disabled={choice.disabled || disabled || undefined}
          title={choice.title}
        >
          <input
            type="radio"
            className={classes.input}
            name={name}
            value={choice.value}
            checked={choice.value === value}
            disabled={choice.disabled || disabled}
            onChange={() => onChange(choice.value)}
          />
          {choice.colour && (
            <span className={classes.colour} style={{ background: choice.colour }} aria-hidden />
          )}
          <span className={classes.text}>
            <span className={classes.label}>{choice.label}</span>{' '}
            {choice.note && <span className={classes.note}>{choice.note}</span>}
          </span>
        </label>
      ))}
    </div>
  );
}
