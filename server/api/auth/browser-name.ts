/** Browsers in the order of checking: most User-Agent headers also name other browsers, which must come later in this list. */
const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera|OPiOS)\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:Mobile\S* )?Safari\//, 'Safari'],
];
const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/\bWindows\b/, 'Windows'],
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPod\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

/**
 * Returns a name like "Firefox on Linux" for a User-Agent header. Clients can send anything, so the result contains only known
 * names or, for an unknown program, the product name at the start of the header.
 */
export function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => mark.test(userAgent))?.[1] ?? programName(userAgent);
  const system = SYSTEMS.find(([mark]) => mark.test(userAgent))?.[1];
  const name = browser ?? 'Unknown browser';
  return system === undefined ? name : `${name} on ${system}`;
}

/**
 * Returns the product name at the start, such as "curl" for "curl/8.5.0". Returns null if there is none, or if it is "Mozilla",
 * which every browser sends.
 */
function programName(userAgent: string): string | null {
  const name = /^([A-Za-z][A-Za-z0-9._-]{0,30})(?:[/ ]|$)/.exec(userAgent)?.[1];
  return name === undefined || name === 'Mozilla' ? null : name;
}
