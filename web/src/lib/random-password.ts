/** Without characters that are mistaken for each other when read out or copied by hand (0 O, 1 l I). */
const LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 3;
const GROUP_LENGTH = 4;

/** A password to hand over once: three groups of four, about 69 bits. */
export function randomPassword(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, randomLetter).join('');
  return Array.from({ length: GROUPS }, group).join('-');
}

function randomLetter(): string {
  // Values past the last whole multiple would make the first letters likelier.
  const limit = 256 - (256 % LETTERS.length);
  for (;;) {
    const [value = limit] = crypto.getRandomValues(new Uint8Array(1));
    if (value < limit) return LETTERS.charAt(value % LETTERS.length);
  }
}
