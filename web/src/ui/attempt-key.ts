import { useRef } from 'react';

/** Random, also where the page is not served over https (crypto.randomUUID is not there). */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/**
 * The key with which the server recognises a repeat: the same for the same content, so that trying again after a lost
 * answer books once; a new one for anything else, and after `done`.
 */
export class AttemptKeys {
  #last: { content: string; key: string } | null = null;

  for(body: object): string {
    const content = JSON.stringify(body);
    if (this.#last?.content !== content) this.#last = { content, key: newKey() };
    return this.#last.key;
  }

  done(): void {
    this.#last = null;
  }
}

export function useAttemptKeys(): AttemptKeys {
  const keys = useRef<AttemptKeys>(null);
  keys.current ??= new AttemptKeys();
  return keys.current;
}
