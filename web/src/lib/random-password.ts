/** Without characters that are easily confused when read out or copied (0 O, 1 l I). */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 3;
const GROUP_LENGTH = 4;

/** A temporary password: three groups of four, about 69 bits. */
export function randomPassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, randomLetter).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

function randomLetter(): string {
  // Values after the last whole multiple would favour the first letters.
  const limit = 256 - (256 % LETTERS.length);
  for (;;) {
    const [value = limit] = crypto.getRandomValues(new Uint8Array(1));
    if (value < limit) return LETTERS.charAt(value % LETTERS.length);
  }
}
