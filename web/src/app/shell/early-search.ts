/** The input that public/boot.js opens on Ctrl K while the app is still loading. */
const earlyInput = () => document.querySelector<HTMLInputElement>('#early-search');

/** Tells public/boot.js that the search now handles Ctrl K itself. True if Ctrl K was pressed before. */
export function listenForSearch(): boolean {
  document.documentElement.dataset.search = 'here';
  return earlyInput() !== null;
}

interface EarlySearch {
  text: string;
  /** The action of Enter: open the result or, with Ctrl, book. */
  enter: 'open' | 'book' | null;
}

/** takeEarlySearch moves the focus from the early input to the search box and returns what was typed, or null. */
export function takeEarlySearch(box: HTMLInputElement): EarlySearch | null {
  const input = earlyInput();
  if (!input) return null;
  const { value: text, dataset } = input;
  box.focus();
  input.remove();
  return { text, enter: dataset.enter === 'open' || dataset.enter === 'book' ? dataset.enter : null };
}

/** dropEarlySearch removes the early input on pages without a search and for users who may not search. */
export function dropEarlySearch(): void {
  listenForSearch();
  earlyInput()?.remove();
}
