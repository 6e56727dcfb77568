import { createHash, publicDecrypt } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createVerifiedTls } from '../../server/egress/exchange.ts';
import {
  GOOGLE_LIST_KEY,
  type LogListRequest,
  signatureAddress,
} from '../../server/probe/sources/log-list-source.ts';
import { mintAuthority, mintKey } from '../kit/certificates/mint.ts';
import { logListJson, mintLog } from '../kit/certificates/mint-log.ts';
import { type ListAnswer, type LogListServer, startLogListServer } from '../kit/peers/log-list-server.ts';

const NOW = Date.now();
const DAY = 86_400_000;
const LIST = logListJson([mintLog('Fjord'), mintLog('Skerry')], NOW - DAY);
const never = new AbortController().signal;

let server: LogListServer;
beforeAll(async () => {
  server = await startLogListServer();
});
afterAll(() => server.stop());
beforeEach(() => {
  server.requests.length = 0;
});

type Options = Parameters<LogListServer['createSource']>[0];
function fetch(request: Partial<LogListRequest> = {}, options?: Options, signal = never) {
  const { list = 'google', url = server.url('/log_list.json'), kept = null, keptAsOf = null } = request;
  return server.createSource(options)({ list, url, kept, keptAsOf, now: NOW }, signal);
}
const problemOf = async (...asked: Parameters<typeof fetch>) => {
  const fetched = await fetch(...asked);
  return fetched.kind === 'failed' ? fetched.problem : fetched.kind;
};

describe('Google’s key for lists of logs', () => {
  it('is the one that signed version 80.14, of 2 January 2026', () => {
    // The signature of www.gstatic.com/ct/log_list/v3/log_list.json of that day, and the SHA-256 of its 53,543 bytes.
    const signature = Buffer.from(
      'O1NfdEm8cNky/admJHUpDeaBfN4eiaPSA1FeflXZFUBwE8d36tqf54kccpFYJ3vIWTTotpJQ3AjKRQejVC+j077y/TSOTttseulIYzojEhutUB8NhzlxWYJdHYnwIyizAn++Om3+HYlVdFdd347TUWAVvKe/sO4mg6Dhu6fYfPfan/IasBI8ngnQieoSUdAXMJ17gcCA0Wn386UQJu9q3osbTYD77b0kn2kiL2W/dKZkLieo9qKQGqJFN7e6NXN3WewsIkb0Vz3mzE2eEPqCunqUpkc68oDeuiurIYYxJxhiZ0X12SScbDApOu8H4c1bxaICa0QE418W8mLUh1v+dPiMu70Gtg+YxnaFIAlJuc3c9Kz8TMYxUqryajDABdNMneSwvpR97Y9UJN6UPAH3yJzC3/z55hx0U0pe4mxTJyeCKCpCxRdGyUqO5EZAAImYMoJvTe5eRYw5nu49kWXIfT6wA+9TNH+iqhuCuXY0tbCwrppPKAE44g0lDVlnUEVHCAg5pKdtnW6E0PJv02n7ElXEmvyZGFNli+WJo064WWKkK0XtRb2EFF/nFIHkoqrWTr2FqMvrveoe9EJlLJ1Fat338yyG0KRJARxyYd6z02TIpJcvUen71e6CrTE8SYHPsNUB2nk6MacnIGFaypGqEIZ+KHw2s/vueeavIqkAfgc=',
      'base64',
    );
    // The signed value is the DigestInfo of SHA-256 (RFC 8017 §9.2), which ends with the digest.
    expect(publicDecrypt(GOOGLE_LIST_KEY, signature).toString('hex')).toBe(
      '3031300d060960864801650304020105000420' +
        '2c5b187fd38b0635dcda9edeebfb155717430754f52f736a49603584ac64eddd',
    );
  });

  it('has 4096 bits and the fingerprint of the published file', () => {
    expect(GOOGLE_LIST_KEY.asymmetricKeyDetails).toMatchObject({ modulusLength: 4_096 });
    const der = GOOGLE_LIST_KEY.export({ type: 'spki', format: 'der' });
    expect(createHash('sha256').update(der).digest('hex')).toBe(
      'f1d8b68e50210d8e73d9a3e97f571773c52d7f28c0b1a71beee81d8562e6fd85',
    );
  });
});

describe('The signature of a list', () => {
  it.each([
    ['/ct/log_list.json', '/ct/log_list.sig'],
    ['/google', '/google.sig'],
    ['/log_list.json?mirror=1', '/log_list.sig?mirror=1'],
  ])('of the path %s is at %s', (list, signature) => {
    expect(signatureAddress(server.url(list)).href).toBe(server.url(signature).href);
  });

  it('is verified over the bytes of the list', async () => {
    server.serveSigned('/log_list.json', LIST);
    expect(await fetch()).toMatchObject({ kind: 'new', body: Buffer.from(LIST), lastModified: null });
    expect(server.requests).toEqual(['/log_list.json', '/log_list.sig']);
    server.serve('/log_list.json', `${LIST} `);
    expect(await problemOf()).toBe('The signature is not Google’s.');
  });

  it('is refused if another key made it', async () => {
    server.serveSigned('/log_list.json', LIST, mintKey('RSA-2048').privateKey);
    expect(await problemOf()).toBe('The signature is not Google’s.');
    expect(await problemOf({}, { googleKey: GOOGLE_LIST_KEY })).toBe('The signature is not Google’s.');
  });

  it.each<[string, ListAnswer, string]>([
    [
      'is missing',
      (_, response) => void response.writeHead(404).end(),
      'missing: the server answered with the status 404.',
    ],
    ['is empty', '', 'not Google’s.'],
    ['is too long', Buffer.alloc(1_025), 'missing: the server sent more bytes than the limit.'],
    ['has another length', Buffer.alloc(512, 1), 'not Google’s.'],
  ])('must be there: the list is refused if it %s', async (_, answer, problem) => {
    server.serve('/log_list.json', LIST);
    server.serve('/log_list.sig', answer);
    expect(await problemOf()).toBe(`The signature is ${problem}`);
  });

  it('is not needed for Apple’s list, which has none', async () => {
    server.serve('/apple.json', LIST);
    expect(await fetch({ list: 'apple', url: server.url('/apple.json') })).toMatchObject({ kind: 'new' });
    expect(server.requests).toEqual(['/apple.json']);
  });
});

describe('A list of logs', () => {
  it('is requested with the validators of the kept one, and unchanged after 304', async () => {
    server.serveSigned('/log_list.json', LIST);
    const kept = await fetch();
    if (kept.kind !== 'new') throw new Error('no list');
    server.requests.length = 0;
    expect(await fetch({ kept, keptAsOf: NOW - DAY })).toEqual({ kind: 'unchanged' });
    expect(server.requests).toEqual([`/log_list.json ${kept.etag}`]);
  });

  it('is refused if it is older than the kept one, although Google signed it', async () => {
    server.serveSigned('/log_list.json', logListJson([mintLog('Fjord')], NOW - 2 * DAY));
    expect(await problemOf({ keptAsOf: NOW - DAY })).toBe('The list is older than the one that we have.');
    expect(await problemOf({ keptAsOf: NOW - 2 * DAY })).toBe('new');
  });

  it('is refused from 70 days after its publication on, and then requested without validators', async () => {
    const kept = { etag: '"1"', lastModified: null };
    const listOf = (publishedAt: number) => logListJson([mintLog('Fjord')], publishedAt);
    server.serveSigned('/log_list.json', listOf(NOW - 70 * DAY));
    const request = { kept, keptAsOf: NOW - 70 * DAY };
    expect(await problemOf(request)).toBe('The list is older than 70 days.');
    server.serveSigned('/log_list.json', listOf(NOW - 70 * DAY + 1));
    expect(await problemOf(request)).toBe('new');
    expect(server.requests).not.toContain('/log_list.json "1"');
  });

  const manyLogs = JSON.stringify({ operators: [{ logs: Array.from({ length: 100_000 }, () => ({})) }] });
  it.each<[string, ListAnswer, string]>([
    ['has 100,000 logs', manyLogs, 'The list has 100000 logs; at most 2000 are read.'],
    [
      'has more than 512 kB',
      Buffer.alloc(512 * 1024 + 1, 0x20),
      'The server sent more bytes than the limit.',
    ],
    [
      'does not end',
      (_, response) => {
        response.writeHead(200);
        const write = (): void => {
          while (response.write(Buffer.alloc(65_536, 0x20)));
          response.once('drain', write);
        };
        write();
      },
      'The server sent more bytes than the limit.',
    ],
    ['is not JSON', '<html>', 'The list of logs is not JSON with operators.'],
    [
      'is cut off',
      (_, response) => {
        response.writeHead(200, { 'content-length': LIST.length });
        response.write(LIST.slice(0, 100), () => response.destroy());
      },
      'The server was not reached, or ended the connection before the end of its answer.',
    ],
    [
      'is elsewhere',
      (_, response) => void response.writeHead(302, { location: '/log_list.json' }).end(),
      'The server answered with the status 302.',
    ],
    [
      'was not modified, although we have none',
      (_, response) => void response.writeHead(304).end(),
      'The server answered with the status 304.',
    ],
  ])('is refused with one line if it %s', async (_, answer, problem) => {
    server.serve('/apple.json', answer);
    expect(await problemOf({ list: 'apple', url: server.url('/apple.json') })).toBe(problem);
  });

  it('is not waited for longer than the time limit', async () => {
    server.serve('/log_list.json', () => undefined);
    expect(await problemOf({}, { deadlineMs: 50 })).toBe('The server did not answer in time.');
  });

  it('is not fetched from a server whose certificate or address is not permitted', async () => {
    server.serveSigned('/log_list.json', LIST);
    const secure = createVerifiedTls([mintAuthority().certificatePem]);
    expect(await problemOf({}, { secure })).toBe('The server has a certificate that is not trusted.');
    expect(await problemOf({}, { policy: createAddressPolicy([], () => []) })).toMatch(/not public/);
    expect(server.requests).toEqual([]);
  });
});
