import type { RequestListener } from 'node:http';
import { drawnPng, type Pixel } from '../../tests/kit/icons.ts';
import { WATCHED_HOSTS } from './hosts.ts';

const SIDE = 32;
/** Each pixel is asked at so many points a side: edges are smooth. */
const FINE = 4;

interface Mark {
  colour: readonly [number, number, number];
  /** Whether the mark covers a point; both coordinates from -1 to 1, the second one downwards. */
  covers: (x: number, y: number) => boolean;
}

/** By the invented company; a host whose company is missing here has no icon, as many have none. */
const MARKS: Readonly<Record<string, Mark>> = {
  fjord: {
    colour: [28, 92, 168],
    // Two peaks above the water.
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
    // Rings.
    covers: (x, y) => {
      const distance = Math.hypot(x, y);
      return distance < 0.28 || (distance > 0.48 && distance < 0.68) || (distance > 0.84 && distance < 0.98);
    },
  },
};
/** Kept without one, for the letter that stands in its place. */
const WITHOUT = ['legacy', 'nas', 'staging', 'pkg'];

/** Those whose application is broken, with their web server still there. */
const FAILING = WATCHED_HOSTS.filter(({ fault }) => fault === 'failing').map(
  ({ name }) => name.split('.')[0],
);

/** Serves the icon of the host that a request names, as a web server would. */
export const serveIcons: RequestListener = (request, response) => {
  const [first = '', ...rest] = (request.headers.host ?? '').replace(/:\d+$/, '').split('.');
  const company = [first, ...rest].at(-2) ?? '';
  const mark = MARKS[company];
  if (FAILING.includes(first) && request.url !== '/favicon.ico') {
    response.writeHead(503, { 'content-type': 'text/plain' }).end('Back soon');
    return;
  }
  const isIcon = request.url === '/favicon.ico' && mark !== undefined && !WITHOUT.includes(first);
  if (isIcon) response.writeHead(200, { 'content-type': 'image/png' }).end(draw(mark));
  else response.writeHead(404, { 'content-type': 'text/plain' }).end('Nothing here');
};

function draw({ colour, covers }: Mark): Buffer {
  const [red, green, blue] = colour;
  return drawnPng(SIDE, (x, y): Pixel => {
    let covered = 0;
    for (let point = 0; point < FINE * FINE; point++) {
      const across = x + ((point % FINE) + 0.5) / FINE;
      const down = y + (Math.floor(point / FINE) + 0.5) / FINE;
      covered += Number(covers((across / SIDE) * 2 - 1, (down / SIDE) * 2 - 1));
    }
    return [red, green, blue, Math.round((covered / (FINE * FINE)) * 255)];
  });
}
