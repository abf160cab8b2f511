/** The placeholders of a reminder, in the order of the buttons. */
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

/** Returns the first unknown placeholder or unmatched brace, or null. */
export function unknownToken(template: string): string | null {
  const known = PLACEHOLDERS.map((name) => `{${name}}`);
  const unknown = (template.match(TOKEN) ?? []).find((token) => !known.includes(token));
  return unknown ?? /[{}]/.exec(template.replace(TOKEN, ''))?.[0] ?? null;
}

/** Fills in the placeholders; unknown ones are left unchanged. */
export function fillTemplate(template: string, values: Record<Placeholder, string>): string {
  return template.replace(TOKEN, (token) => {
    const name = PLACEHOLDERS.find((known) => token === `{${known}}`);
    return name ? values[name] : token;
  });
}

/** Inserts text at the cursor or over the selection, and returns the new cursor position. */
export function inserted(
  text: string,
  added: string,
  from: number,
  to: number,
): { text: string; cursor: number } {
  return { text: text.slice(0, from) + added + text.slice(to), cursor: from + added.length };
}

/** The number of SMS for a text: 160 characters of the GSM alphabet or 70 with Thai; fewer per part if it is split. */
export function smsCount(text: string): number {
  const plain = /^[\n\r -~]*$/.test(text) && !/`/.test(text);
  const [one, many] = plain ? [160, 153] : [70, 67];
  return text.length <= one ? 1 : Math.ceil(text.length / many);
}
