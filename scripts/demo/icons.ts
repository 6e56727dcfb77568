import type { RequestListener } from 'node:http';
import { drawnPng, type Pixel } from '../../tests/kit/peers/icons.ts';
import { WATCHED_HOSTS } from './hosts.ts';

const SIZE_PX = 32;
/** Number of sample points per side of a pixel, for antialiasing. */
const SAMPLES = 4;

interface Mark {
  colour: readonly [number, number, number];
  /** Returns whether the mark covers a point. Coordinates go from -1 to 1; y points down. */
  covers: (x: number, y: number) => boolean;
}

/** Icons by company name. Hosts of other companies have no icon. */
const MARKS: Readonly<Record<string, Mark>> = {
  fjord: {
    colour: [28, 92, 168],
    // Two mountains above water.
    covers: (x, y) =>
      (y > Math.abs(x + 0.3) * 1.5 - 0.75 && y < 0.35) ||
      (y > Math.abs(x - 0.45) * 1.5 - 0.35 && y < 0.35) ||
      (y > 0.5 && y < 0.72 && Math.abs(x) < 0.9),
  },
  orchard: {
    colour: [196, 62, 42],
    // An apple and its leaf.
    covers: (x, y) =>
      Math.hypot(x + 0.25, y - 0.2) < 0.55 ||
      Math.hypot(x - 0.25, y - 0.2) < 0.55 ||
      Math.hypot((x - 0.25) * 0.8, (y + 0.65) * 1.6) < 0.28,
  },
  moss: {
    colour: [74, 122, 52],
    // Concentric rings.
    covers: (x, y) => {
      const distance = Math.hypot(x, y);
      return distance < 0.28 || (distance > 0.48 && distance < 0.68) || (distance > 0.84 && distance < 0.98);
    },
  },
};
/** First labels of hosts without an icon. For these, the demo shows the letter that replaces a missing icon. */
const HOSTS_WITHOUT_ICON = ['legacy', 'nas', 'staging', 'pkg'];

/** First labels of hosts whose application fails while their web server still answers. */
const FAILING_HOSTS = WATCHED_HOSTS.filter(({ fault }) => fault === 'failing').map(
  ({ name }) => name.split('.')[0],
);

/** Serves the icon of the host in the Host header. Failing hosts answer 503 to everything else. */
export const answerDemoRequest: RequestListener = (request, response) => {
  const [first = '', ...rest] = (request.headers.host ?? '').replace(/:\d+$/, '').split('.');
  const company = [first, ...rest].at(-2) ?? '';
  const mark = MARKS[company];
  if (FAILING_HOSTS.includes(first) && request.url !== '/favicon.ico') {
    response.writeHead(503, { 'content-type': 'text/plain' }).end('Back soon');
    return;
  }
  const isIcon = request.url === '/favicon.ico' && mark !== undefined && !HOSTS_WITHOUT_ICON.includes(first);
  if (isIcon) response.writeHead(200, { 'content-type': 'image/png' }).end(draw(mark));
  else response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing here');
};

function draw({ colour, covers }: Mark): Buffer {
  const [red, green, blue] = colour;
  return drawnPng(SIZE_PX, (x, y): Pixel => {
    let covered = 0;
    for (let point = 0; point < SAMPLES * SAMPLES; point++) {
      const across = x + ((point % SAMPLES) + 0.5) / SAMPLES;
      const down = y + (Math.floor(point / SAMPLES) + 0.5) / SAMPLES;
      covered += Number(covers((across / SIZE_PX) * 2 - 1, (down / SIZE_PX) * 2 - 1));
    }
    return [red, green, blue, Math.round((covered / (SAMPLES * SAMPLES)) * 255)];
  });
}
