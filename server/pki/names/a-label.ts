const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;

/** Returns whether an `xn--` label decodes as Punycode to non-ASCII text (RFC 3492 §6.2, RFC 5890 §2.3.2.1). */
export function isALabel(label: string): boolean {
  const code = /^xn--(?:[a-z0-9-]*-)?([a-z0-9]+)$/i.exec(label)?.[1];
  if (code === undefined) return false;
  const basicLength = Math.max(label.lastIndexOf('-') - 4, 0);
  let point = 128;
  let index = 0;
  let bias = 72;
  let length = basicLength;
  let position = 0;
  while (position < code.length) {
    const previous = index;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = parseInt(code[position++] ?? '', BASE);
      if (Number.isNaN(digit)) return false;
      // Punycode orders letters before digits; parseInt orders digits before letters.
      const value = digit < 10 ? digit + 26 : digit - 10;
      index += value * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (value < threshold) break;
      weight *= BASE - threshold;
      if (index > 0x7fffffff || weight > 0x7fffffff) return false;
    }
    length++;
    bias = adapt(index - previous, length, previous === 0);
    point += Math.floor(index / length);
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return false;
    index = (index % length) + 1;
  }
  return true;
}

function adapt(difference: number, length: number, isFirst: boolean): number {
  let delta = isFirst ? Math.floor(difference / DAMP) : difference >> 1;
  delta += Math.floor(delta / length);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}
