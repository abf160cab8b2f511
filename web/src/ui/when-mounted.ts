/** As a ref: what was just opened has the focus, as the thing to type into or, of a heading, to be read out. */
export function focusWhenMounted(element: HTMLElement | null): void {
  element?.focus();
}

/** As a ref of the tab that is open: on a phone it may lie outside the row. */
export function scrollWhenMounted(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
