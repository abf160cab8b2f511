/** The aspect ratio of the used part of an image, or the whole image. */
export const CUTS = { whole: null, wide: 3, screen: 16 / 9 } as const;
export type Cut = keyof typeof CUTS;

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The largest part of an image with that ratio. `position` 0 is its start (top or left), 1 its end. */
export function cutArea(width: number, height: number, ratio: number, position: number): Area {
  const wider = width / height > ratio;
  const [w, h] = wider ? [Math.round(height * ratio), height] : [width, Math.round(width / ratio)];
  return {
    x: Math.round((width - w) * position),
    y: Math.round((height - h) * position),
    width: w,
    height: h,
  };
}

/** Returns a part of an image as a new image. */
export async function cutOut(file: File, cut: Cut, position: number): Promise<Blob> {
  const ratio = CUTS[cut];
  if (ratio === null) return file;
  const picture = await createImageBitmap(file);
  const { x, y, width, height } = cutArea(picture.width, picture.height, ratio, position);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')?.drawImage(picture, x, y, width, height, 0, 0, width, height);
  picture.close();
  // A photo as PNG would be many times larger.
  const type = file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png';
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('the picture cannot be cut'))),
      type,
      0.92,
    ),
  );
}
