/** The nearest ancestor that matches: the calendar stores what an element stands for in its attributes. */
export function closest(target: EventTarget, selector: string): Element | null {
  return target instanceof Element ? target.closest(selector) : null;
}

export function attribute(target: EventTarget, name: string): string {
  return closest(target, `[${name}]`)?.getAttribute(name) ?? '';
}

/** The item that an arrow key moves to: the next one in the column, or the nearest one in the column beside it. */
export function itemFrom(
  box: HTMLElement | null,
  target: EventTarget,
  key: string,
  stacked: boolean,
): HTMLElement | null {
  const item = closest(target, '[data-item]');
  if (!box || !item) return null;
  const columns: HTMLElement[][] = [];
  const places = new Map<string, HTMLElement[]>();
  for (const one of box.querySelectorAll<HTMLElement>('[data-item]')) {
    const column = attribute(one, 'data-col');
    const list = places.get(column);
    if (list) list.push(one);
    else {
      const fresh = [one];
      places.set(column, fresh);
      columns.push(fresh);
    }
  }
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const along = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (along !== undefined) {
    const list = stacked ? columns.flat() : (places.get(attribute(item, 'data-col')) ?? []);
    return list[list.indexOf(item as HTMLElement) + along] ?? null;
  }
  const mine = places.get(attribute(item, 'data-col')) ?? [];
  if (key === 'Home') return mine[0] ?? null;
  if (key === 'End') return mine.at(-1) ?? null;
  if (sideways === undefined) return null;
  // By position on the screen, which is mirrored in right-to-left layouts.
  columns.sort((a, b) => left(a[0]) - left(b[0]));
  const beside = columns[columns.indexOf(mine) + sideways];
  const top = item.getBoundingClientRect().top;
  const distance = (one: HTMLElement) => Math.abs(one.getBoundingClientRect().top - top);
  return beside?.reduce((best, one) => (distance(one) < distance(best) ? one : best)) ?? null;
}

const left = (item: HTMLElement | undefined) => item?.getBoundingClientRect().left ?? 0;
