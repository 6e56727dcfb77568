import { expect, it } from 'vitest';
import { browserName } from './browser-name.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`,
    'Edge on Windows',
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/141.0.0.0 Safari/537.36`, 'Chrome on Linux'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Safari on iPhone',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/141.0.0.0 Mobile/15E148 Safari/604.1',
    'Chrome on iPad',
  ],
  [
    `Mozilla/5.0 (Linux; Android 15; Pixel 9) ${WEBKIT} Chrome/141.0.0.0 Mobile Safari/537.36`,
    'Chrome on Android',
  ],
  [
    `Mozilla/5.0 (Linux; Android 15; SM-S921B) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet on Android',
  ],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/141.0.0.0 Safari/537.36 OPR/122.0.0.0`,
    'Opera on Linux',
  ],
  ['curl/8.5.0', 'curl'],
  ['node', 'node'],
  ['Mozilla/5.0', 'Unknown browser'],
  ['', 'Unknown browser'],
  ['<script>alert(1)</script>', 'Unknown browser'],
  [`${'a'.repeat(290)}/1`, 'Unknown browser'],
])('browserName of %s is %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
