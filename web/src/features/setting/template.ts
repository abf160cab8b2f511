/** What a reminder can fill in, in the order in which people think of it. */
export const PLACEHOLDERS = [
  'patient',
  'date',
  'time',
  'service',
  'place',
  'number',
  'hospital',
  'phone',
] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

const TOKEN = /\{[^{}]*\}/g;

/** The first thing in braces, or the first brace, that means nothing; null when all is known. */
export function unknownToken(template: string): string | null {
  const known = PLACEHOLDERS.map((name) => `{${name}}`);
  const unknown = (template.match(TOKEN) ?? []).find((token) => !known.includes(token));
  return unknown ?? /[{}]/.exec(template.replace(TOKEN, ''))?.[0] ?? null;
}

/** The message with the placeholders filled in; what is not known stays as it is. */
export function fillTemplate(template: string, values: Record<Placeholder, string>): string {
  return template.replace(TOKEN, (token) => {
    const name = PLACEHOLDERS.find((known) => token === `{${known}}`);
    return name ? values[name] : token;
  });
}

/** The text with `added` at the cursor (or in place of what is selected), and where the cursor then is. */
export function inserted(
  text: string,
  added: string,
  from: number,
  to: number,
): { text: string; cursor: number } {
  return { text: text.slice(0, from) + added + text.slice(to), cursor: from + added.length };
}

/** How many SMS a text takes: 160 letters of the GSM alphabet, 70 as soon as there is Thai; fewer when it is split. */
export function smsCount(text: string): number {
  const plain = /^[\n\r -~]*$/.test(text) && !/`/.test(text);
  const [one, many] = plain ? [160, 153] : [70, 67];
  return text.length <= one ? 1 : Math.ceil(text.length / many);
}
