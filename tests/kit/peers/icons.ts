import { crc32, deflateSync } from 'node:zlib';

/** Red, green, blue, opacity; each 0 to 255. */
export type Pixel = readonly [number, number, number, number];

/** Returns a square PNG with sides of `side` pixels. `claimed` is the size that its header states, by default the true one. */
export function drawnPng(
  side: number,
  pixelAt: (x: number, y: number) => Pixel,
  claimed: { width: number; height: number } = { width: side, height: side },
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(claimed.width, 0);
  header.writeUInt32BE(claimed.height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Array.from({ length: side }, (_, y) => [
    0,
    ...Array.from({ length: side }, (_unused, x) => [...pixelAt(x, y)]).flat(),
  ]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from(rows.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Returns a square PNG of one colour (red, green, blue; each 0 to 255). */
export function pngIcon(
  side: number,
  [red, green, blue]: readonly [number, number, number] = [20, 110, 120],
  claimed?: { width: number; height: number },
): Buffer {
  return drawnPng(side, () => [red, green, blue, 255], claimed);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Returns an ICO file with these images. For each of them, its directory states 16 × 16 pixels, even if that is wrong. */
export function icoOf(...images: Buffer[]): Buffer {
  const directory = Buffer.alloc(6 + images.length * 16);
  directory.set([0, 0, 1, 0, images.length, 0]);
  let at = directory.length;
  images.forEach((image, index) => {
    const entry = 6 + index * 16;
    directory.set([16, 16, 0, 0, 1, 0, 32, 0], entry);
    directory.writeUInt32LE(image.length, entry + 8);
    directory.writeUInt32LE(at, entry + 12);
    at += image.length;
  });
  return Buffer.concat([directory, ...images]);
}
