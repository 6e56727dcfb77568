/**
 * Maximum width and height in pixels. Larger images are not icons, and a small file can decode
 * to gigabytes in a browser.
 */
const MAX_SIDE_PX = 512;

const KINDS: readonly { type: string; size: (bytes: Buffer) => Size | null }[] = [
  { type: 'image/png', size: pngSize },
  { type: 'image/x-icon', size: icoSize },
  { type: 'image/gif', size: gifSize },
  { type: 'image/jpeg', size: jpegSize },
  { type: 'image/webp', size: webpSize },
];

interface Size {
  width: number;
  height: number;
}

/**
 * Detects the media type of a small raster image from its bytes; returns null for anything else. Reads the dimensions
 * from the header and never decodes the image.
 */
export function rasterMediaType(content: Uint8Array): string | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  for (const { type, size } of KINDS) {
    const found = size(bytes);
    if (found !== null) return isSmall(found) ? type : null;
  }
  return null;
}

function isSmall({ width, height }: Size): boolean {
  return width >= 1 && height >= 1 && width <= MAX_SIDE_PX && height <= MAX_SIDE_PX;
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean =>
  bytes.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'));

/**
 * Returns the size in the IHDR chunk, which comes first (PNG third edition §5.2, §11.2.1); null if this is not a PNG.
 */
function pngSize(bytes: Buffer): Size | null {
  if (bytes.length < 33 || !startsWith(bytes, '\x89PNG\r\n\x1a\n') || !startsWith(bytes, 'IHDR', 12))
    return null;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): Size | null {
  if (bytes.length < 13 || !(startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a'))) return null;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/**
 * Returns the size in the frame header, which follows segments of any length (ITU-T T.81
 * §B.2.2); null if it is not found.
 */
function jpegSize(bytes: Buffer): Size | null {
  if (bytes.length < 4 || !startsWith(bytes, '\xff\xd8\xff')) return null;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    const length = bytes.readUInt16BE(at + 2);
    // Treat fill bytes, which are rare, and invalid lengths as unreadable.
    if (marker === 0xff || length < 2) return null;
    at += 2 + length;
  }
  return null;
}

/**
 * Returns the size of a lossy (VP8), lossless (VP8L) or extended (VP8X) image (RFC 9649 §2); null for other formats.
 */
function webpSize(bytes: Buffer): Size | null {
  if (bytes.length < 30 || !startsWith(bytes, 'RIFF') || !startsWith(bytes, 'WEBP', 8)) return null;
  if (startsWith(bytes, 'VP8 ', 12))
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  if (startsWith(bytes, 'VP8L', 12)) {
    const packed = bytes.readUInt32LE(21);
    return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
  }
  if (startsWith(bytes, 'VP8X', 12))
    return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  return null;
}

const MAX_IMAGES = 32;

/**
 * Reads every image, because a browser may pick any of them. Returns the size of the first that is too large or empty, else of the last; null if
 * an unreadable image comes first. Each image is a PNG, or a bitmap whose height includes its mask.
 */
function icoSize(bytes: Buffer): Size | null {
  if (bytes.length < 6 || bytes.readUInt32LE(0) !== 0x00010000) return null;
  const count = bytes.readUInt16LE(4);
  if (count < 1 || count > MAX_IMAGES || bytes.length < 6 + count * 16) return null;
  let size: Size | null = null;
  for (let index = 0; index < count; index++) {
    // The directory stores each side in one byte, but decoders use the size in the image's own header.
    const at = bytes.readUInt32LE(6 + index * 16 + 12);
    const image = bytes.subarray(at);
    size = pngSize(image) ?? bitmapSize(image);
    if (size === null || !isSmall(size)) return size;
  }
  return size;
}

/**
 * Returns the size in a bitmap header. Halves the height, which includes the mask. A negative
 * height means top-down rows.
 */
function bitmapSize(bytes: Buffer): Size | null {
  if (bytes.length < 40 || bytes.readUInt32LE(0) !== 40) return null;
  return { width: bytes.readInt32LE(4), height: Math.abs(bytes.readInt32LE(8)) / 2 };
}
