import { describe, expect, it } from 'vitest';
import { rasterMediaType } from '../../server/probe/icons/raster-image.ts';
import { icoOf, pngIcon } from '../kit/peers/icons.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const le16 = (value: number): string => hex16(value).match(/../g)!.toReversed().join('');
const le32 = (value: number): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes.toString('hex');
};
const hex16 = (value: number): string => value.toString(16).padStart(4, '0');
const riff = (form: string, rest: string): Buffer =>
  Buffer.concat([Buffer.from(`RIFF....WEBP${form}`), hex(rest), Buffer.alloc(16)]);

const gif = (width: number, height: number): Buffer =>
  Buffer.concat([Buffer.from('GIF89a'), hex(`${le16(width)} ${le16(height)} 000000`)]);
const jpeg = (width: number, height: number): Buffer =>
  hex(
    `ffd8 ffe0 0010 4a46494600010100000100010000 ffc0 0011 08 ${hex16(height)} ${hex16(width)} 03 0122000000`,
  );
const bitmap = (width: number, height: number): Buffer =>
  hex(`28000000 ${le32(width)} ${le32(height * 2)} 01002000 ${'00'.repeat(24)}`);
const webp = {
  lossy: (width: number, height: number) =>
    riff('VP8 ', `00000000 000000 9d012a ${le16(width)} ${le16(height)}`),
  lossless: (width: number, height: number) => {
    const packed = Buffer.alloc(4);
    packed.writeUInt32LE((width - 1) | ((height - 1) << 14));
    return riff('VP8L', `00000000 2f ${packed.toString('hex')}`);
  },
  extended: (width: number, height: number) =>
    riff('VP8X', `0a000000 00000000 ${le16(width - 1)}00 ${le16(height - 1)}00`),
};

describe('The type of an image', () => {
  it.each<[string, string, (width: number, height: number) => Buffer]>([
    ['PNG', 'image/png', (width, height) => pngIcon(4, undefined, { width, height })],
    ['GIF', 'image/gif', gif],
    ['JPEG', 'image/jpeg', jpeg],
    ['lossy WebP', 'image/webp', webp.lossy],
    ['lossless WebP', 'image/webp', webp.lossless],
    ['extended WebP', 'image/webp', webp.extended],
    ['icon of a bitmap', 'image/x-icon', (width, height) => icoOf(bitmap(width, height))],
    ['icon of a PNG', 'image/x-icon', (width, height) => icoOf(pngIcon(4, undefined, { width, height }))],
  ])('is detected from its bytes as %s, up to 512 pixels a side', (_name, type, make) => {
    expect(rasterMediaType(make(32, 48))).toBe(type);
    expect(rasterMediaType(make(512, 512))).toBe(type);
    expect(rasterMediaType(make(513, 32))).toBeNull();
    expect(rasterMediaType(make(32, 513))).toBeNull();
    expect(rasterMediaType(make(16_000, 16_000))).toBeNull();
  });

  it('the type of an icon file is null if any of its images is too large or malformed', () => {
    const fine = [bitmap(16, 16), pngIcon(32), bitmap(48, -48)];
    expect(rasterMediaType(icoOf(...fine))).toBe('image/x-icon');
    const unfit = [
      bitmap(512, -30_000),
      bitmap(-16, 16),
      bitmap(0, 16),
      bitmap(16, 513),
      pngIcon(4, undefined, { width: 16, height: 60_000 }),
      pngIcon(4, undefined, { width: 0, height: 16 }),
    ];
    for (const image of unfit)
      for (const images of [[image], [image, ...fine], [...fine, image]])
        expect(rasterMediaType(icoOf(...images))).toBeNull();
  });

  it.each([
    ['an empty file', ''],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['an SVG after a declaration', '<?xml version="1.0"?><svg/>'],
    ['a page', '<!doctype html><title>404</title>'],
    ['a script', 'GIF89a=alert(1)'.slice(3)],
    ['a PDF', '%PDF-1.7'],
  ])('is null for %s', (_name, text) => {
    expect(rasterMediaType(Buffer.from(text))).toBeNull();
  });

  it('is null for a truncated image, a cursor, and an empty or malformed icon', () => {
    const images = [pngIcon(16), gif(16, 16), jpeg(16, 16), webp.lossless(16, 16), icoOf(bitmap(16, 16))];
    for (const image of images)
      for (let length = 0; length < 20; length++)
        expect(rasterMediaType(image.subarray(0, Math.min(length, 12)))).toBeNull();
    const icon = icoOf(pngIcon(16));
    expect(rasterMediaType(hex('00000100 0000'))).toBeNull();
    expect(rasterMediaType(Buffer.concat([hex('00000200'), icon.subarray(4)]))).toBeNull();
    expect(rasterMediaType(hex('00000100 ffff'))).toBeNull();
    const astray = Buffer.from(icon);
    astray.writeUInt32LE(0xffff_fff0, 18);
    expect(rasterMediaType(astray)).toBeNull();
    expect(rasterMediaType(hex(`ffd8 ${'ffe00002'.repeat(1_000)}`))).toBeNull();
  });
});
