import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical } from '@tabler/icons-react';
import { type DragEvent, type ReactNode, useId, useRef, useState } from 'react';
import { useT } from '@/i18n/provider';
import print from './print.module.css';
import classes from './sortable-list.module.css';
import { useKeyboard } from './use-keyboard';

interface SortableListProps<Item> {
  label: string;
  items: readonly Item[];
  itemKey: (item: Item) => string | number;
  /** The item's name in announcements. */
  nameOf: (item: Item) => string;
  render: (item: Item, index: number) => ReactNode;
  /** Missing if the user may not change the order. */
  onMove?: (from: number, to: number) => void;
  className?: string;
}

/** Returns the list with the item at `from` moved to `to`. */
export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}

type Step = -1 | 1;

/** A list that users sort by dragging, or in steps with two buttons. */
export function SortableList<Item>(props: SortableListProps<Item>) {
  const { label, items, itemKey, nameOf, render, onMove, className } = props;
  const t = useT();
  const id = useId();
  const [announcement, setAnnouncement] = useState('');
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const rows = useRef(new Map<string | number, HTMLLIElement>());
  const buttonId = (item: Item, step: Step) => `${id}-${itemKey(item)}-${step < 0 ? 'up' : 'down'}`;

  const move = (from: number, to: number) => {
    const item = items[from];
    if (!item || to < 0 || to >= items.length || from === to) return false;
    onMove?.(from, to);
    setAnnouncement(t.sortable.moved(nameOf(item), to + 1, items.length));
    return true;
  };
  const step = (item: Item, from: number, by: Step) => {
    if (!move(from, from + by)) return;
    // An element that moves in the DOM loses the focus.
    requestAnimationFrame(() => document.getElementById(buttonId(item, by))?.focus());
  };
  const start = (event: DragEvent<HTMLElement>, item: Item, index: number) => {
    const row = rows.current.get(itemKey(item));
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', nameOf(item));
    if (row) event.dataTransfer.setDragImage(row, 20, 20);
    setDragged(index);
  };
  const end = () => {
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      <ol className={`${classes.list} ${className ?? ''}`} aria-label={label}>
        {items.map((item, index) => (
          <li
            key={itemKey(item)}
            ref={(row) => {
              if (row) rows.current.set(itemKey(item), row);
              else rows.current.delete(itemKey(item));
            }}
            className={classes.item}
            data-dragged={dragged === index || undefined}
            data-over={
              (over === index && dragged !== null && (dragged < index ? 'after' : 'before')) || undefined
            }
            onDragOver={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              event.dataTransfer.dropEffect = 'move';
              setOver(index);
            }}
            onDrop={(event) => {
              if (dragged === null) return;
              event.preventDefault();
              move(dragged, index);
              end();
            }}
          >
            {onMove && (
              <span className={`${classes.tools} ${print.screen}`}>
                <span
                  className={classes.handle}
                  draggable
                  aria-hidden
                  title={t.sortable.drag}
                  onDragStart={(event) => start(event, item, index)}
                  onDragEnd={end}
                >
                  <IconGripVertical size={18} />
                </span>
                <span className={classes.steps}>
                  <StepButton
                    id={buttonId(item, -1)}
                    label={t.sortable.up(nameOf(item))}
                    off={index === 0}
                    onClick={() => step(item, index, -1)}
                  >
                    <IconArrowUp size={15} aria-hidden />
                  </StepButton>
                  <StepButton
                    id={buttonId(item, 1)}
                    label={t.sortable.down(nameOf(item))}
                    off={index === items.length - 1}
                    onClick={() => step(item, index, 1)}
                  >
                    <IconArrowDown size={15} aria-hidden />
                  </StepButton>
                </span>
              </span>
            )}
            <div className={classes.body}>{render(item, index)}</div>
          </li>
        ))}
      </ol>
      <span className="heard" role="status">
        {announcement}
      </span>
    </>
  );
}

/** The instructions; touch screens have no drag handle. */
export function SortableHint() {
  const { byMouse, byFinger } = useT().sortable;
  return useKeyboard() ? byMouse : byFinger;
}

interface StepButtonProps {
  id: string;
  label: string;
  /** At the end of the list the button remains focusable. */
  off: boolean;
  onClick: () => void;
  children: ReactNode;
}

function StepButton({ id, label, off, onClick, children }: StepButtonProps) {
  return (
    <ActionIcon
      id={id}
      variant="subtle"
      color="gray"
      size={24}
      aria-label={label}
      aria-disabled={off}
      data-disabled={off || undefined}
      onClick={onClick}
    >
      {children}
    </ActionIcon>
  );
}
