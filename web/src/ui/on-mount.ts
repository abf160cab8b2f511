/** A ref callback that focuses an element that was just shown: an input, or a heading for screen readers. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}

/** A ref callback that scrolls to an element when it is first shown. */
export function scrollToOnMount(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'start' });
}
