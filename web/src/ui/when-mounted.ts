/** As a ref: what was just opened has the focus, as the thing to type into or, of a heading, to be read out. */
export function focusWhenMounted(element: HTMLElement | null): void {
  element?.focus();
}

/** As a ref: what was just opened is scrolled to, once; what is chosen in it then moves nothing. */
export function showWhenMounted(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start' });
}
