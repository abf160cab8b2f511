import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { expect, type Page } from '@playwright/test';

/**
 * The edges of letters may differ slightly between machines. A different button colour, a row two pixels higher or a
 * larger font is detected; a single bold word is not: the limit is a thousand of the million pixels of a desktop
 * screen.
 */
const TOLERANCE = { threshold: 0.1, maxDiffPixelRatio: 0.001 };
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Compares the screen with the screenshot of that name (`--update-snapshots` takes them). */
export async function expectPicture(page: Page, name: string): Promise<void> {
  // Monospace fonts differ between machines; all other fonts are bundled with the app.
  await page.evaluate(() =>
    document.documentElement.style.setProperty(
      '--mantine-font-family-monospace',
      'var(--mantine-font-family)',
    ),
  );
  let last: Buffer = Buffer.alloc(0);
  // Waits until two screenshots in a row are equal.
  await expect(async () => {
    const next = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    const still = next.equals(last);
    last = next;
    expect(still).toBe(true);
  }).toPass({ intervals: [50] });
  expect(inFewColours(last)).toMatchSnapshot(`${name}.png`, TOLERANCE);
}

/** Sixteen steps per channel: a step is far below the tolerance of the comparison. */
const STEP = 17;

/**
 * Reduces a screenshot to 256 colours, which is a quarter of the size: the most common ones, and the nearest of them
 * for the rest. Both sides of a comparison are reduced.
 */
function inFewColours(png: Buffer): Buffer {
  const { width, height, channels, pixels } = decode(png);
  const step = (at: number) => Math.round((pixels[at] ?? 0) / STEP) * STEP;
  const colourAt = (at: number) => (step(at) << 16) | (step(at + 1) << 8) | step(at + 2);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += channels) {
    const colour = colourAt(at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const commonest = [...counts].sort(([one, many], [other, more]) => more - many || one - other);
  const palette = commonest.slice(0, 256).map(([colour]) => colour);
  const indexes = new Map(commonest.map(([colour]) => [colour, nearest(palette, colour)]));
  const lines = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      lines[y * (width + 1) + 1 + x] = indexes.get(colourAt((y * width + x) * channels)) ?? 0;
    }
  }
  return encode(width, height, palette, lines);
}

function nearest(palette: number[], colour: number): number {
  let [found, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, one] of palette.entries()) {
    const red = (one >> 16) - (colour >> 16);
    const green = ((one >> 8) & 255) - ((colour >> 8) & 255);
    const blue = (one & 255) - (colour & 255);
    const distance = red * red + green * green + blue * blue;
    if (distance < least) [found, least] = [index, distance];
  }
  return found;
}

function encode(width: number, height: number, palette: number[], lines: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(lines, { level: 9 });
  const parts = [chunk('IHDR', header), chunk('PLTE', colours), chunk('IDAT', data)];
  return Buffer.concat([SIGNATURE, ...parts, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The browser's format: eight bits per channel, three or four channels, not interlaced. */
function decode(png: Buffer) {
  const data: Buffer[] = [];
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const pixels = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < channels ? 0 : (pixels[at - channels] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = x < channels || y === 0 ? 0 : (pixels[at - stride - channels] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[at] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return { width, height, channels, pixels };
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [byLeft, byUp, byCorner] = [left, up, corner].map((one) => Math.abs(guess - one)) as [
    number,
    number,
    number,
  ];
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
