/** The input that public/boot.js opens on Ctrl K while the app still loads, with what has been typed so far. */
const earlyInput = () => document.querySelector<HTMLInputElement>('#early-search');

/** The search hears its key itself from now on; true when it was pressed before that. */
export function listenForSearch(): boolean {
  document.documentElement.dataset.search = 'here';
  return earlyInput() !== null;
}

interface EarlySearch {
  text: string;
  /** Enter was pressed, too: to open what is found, or with Ctrl to book. */
  enter: 'open' | 'book' | null;
}

/** takeEarlySearch gives the focus and what was typed early to the search's own box; null when nothing was. */
export function takeEarlySearch(box: HTMLInputElement): EarlySearch | null {
  const input = earlyInput();
  if (!input) return null;
  const { value: text, dataset } = input;
  box.focus();
  input.remove();
  return { text, enter: dataset.enter === 'open' || dataset.enter === 'book' ? dataset.enter : null };
}

/** dropEarlySearch is for pages and users without a search. */
export function dropEarlySearch(): void {
  listenForSearch();
  earlyInput()?.remove();
}
