import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

// Reads pages and event streams of the server in `pages.ts`, as browsers do. Runs in a process of its own, so that its CPU
// time does not count as the server's.

export type Order =
  | { kind: 'pages'; url: string; cookies: string[]; headers: Record<string, string>; count: number }
  | { kind: 'streams'; url: string; cookies: string[]; count: number }
  | { kind: 'close' };

/** Result of an order. `bytes`: size of all bodies; `events`: number of events of the streams that were closed. */
export interface Done {
  bytes: number;
  events: number;
}

/** Returns an address for a request, because the rate limit counts requests per network. */
const spreadAddress = (number: number): string => `198.18.${(number >> 8) & 255}.${number & 255}`;

const PARALLEL = 4;
const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
const streams: IncomingMessage[] = [];
let events = 0;

process.on('message', (order: Order) => void answer(order));
process.on('disconnect', () => process.exit());

async function answer(order: Order): Promise<void> {
  process.send?.(await carryOut(order));
}

async function carryOut(order: Order): Promise<Done> {
  if (order.kind === 'pages') return readPages(order);
  if (order.kind === 'streams') {
    await openStreams(order);
    return { bytes: 0, events: 0 };
  }
  for (const stream of streams.splice(0)) stream.destroy();
  const done = { bytes: 0, events };
  events = 0;
  return done;
}

async function readPages({ url, cookies, headers, count }: Order & { kind: 'pages' }): Promise<Done> {
  let [next, bytes] = [0, 0];
  const reader = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      const cookie = cookies[number % cookies.length] ?? '';
      const page = await open(url, { ...headers, cookie, 'x-forwarded-for': spreadAddress(number) }, agent);
      for await (const chunk of page) bytes += (chunk as Buffer).length;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, reader));
  return { bytes, events: 0 };
}

async function openStreams({ url, cookies, count }: Order & { kind: 'streams' }): Promise<void> {
  for (let number = 0; number < count; number++) {
    const cookie = cookies[number % cookies.length] ?? '';
    const headers = { cookie, 'x-forwarded-for': spreadAddress(number) };
    const stream = await open(url, headers, new Agent());
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf('event: '); at >= 0; at = chunk.indexOf('event: ', at + 1)) events += 1;
    });
    streams.push(stream);
  }
}

async function open(url: string, headers: Record<string, string>, through: Agent): Promise<IncomingMessage> {
  const [answer] = (await once(get(url, { headers, agent: through }), 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode} ${await text(answer)}`);
  return answer;
}
