import { type Arbitrary, nat, oneof, tuple, uint8Array } from 'fast-check';

/**
 * Generates damaged copies of `whole`: one byte overwritten, a part cut off, or a part copied to another place.
 * Also generates random bytes.
 */
export function damaged(whole: Uint8Array): Arbitrary<Uint8Array> {
  const place = nat(whole.length - 1);
  return oneof(
    tuple(place, nat(255)).map(([at, value]) => Uint8Array.from(whole).fill(value, at, at + 1)),
    place.map((at) => whole.slice(0, at)),
    place.map((at) => whole.slice(at)),
    tuple(place, place, place).map(([from, length, to]) => {
      const copy = Uint8Array.from(whole);
      copy.set(whole.subarray(from, from + Math.min(length, whole.length - to)), to);
      return copy;
    }),
    uint8Array({ maxLength: 64 }),
  );
}
