import type { RequestListener } from 'node:http';
import { expect, it, vi } from 'vitest';
import type { Protocol } from '../../contract/protocols.ts';
import { judge } from '../../server/core/judge/judge.ts';
import { POSTURE_PARTS, type PostureObservation, type PosturePart } from '../../server/core/observation.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createTrustStore } from '../../server/pki/trust-store.ts';
import { createProbe } from '../../server/probe/probe.ts';
import { NO_SOURCES } from '../kit/product/stand-ins.ts';
import { seededRandom } from '../faults/random.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import {
  createHelloFilter,
  createRecordInserter,
  extensionNumbers,
  isLarge,
  isReserved,
  type Reaction,
  type ReadHello,
} from '../kit/peers/hello-proxies.ts';
import { keep, PATIENT, STOPPED, stopTimers } from '../kit/peers/loopback.ts';
import { alertRecord } from '../kit/peers/raw-peers.ts';
import { listening, startTlsServer, type TlsPeerOptions } from '../kit/peers/tls-server.ts';

const NOW = Date.UTC(2030, 0, 2);
const policy = createAddressPolicy(['127.0.0.0/8'], () => []);
const root = mintAuthority();
const leaf = root.issue({ dnsNames: ['site.test'] });
const trustStore = createTrustStore([root.der]);
const serve: RequestListener = (_request, response) => void response.end();

interface Filtered {
  isRefused?: (hello: ReadHello) => boolean;
  reaction?: Reaction;
  tls?: TlsPeerOptions;
}

/**
 * Starts a server behind a filter. `hellos` lists each ClientHello and whether the filter let it through; `open` returns the
 * number of open connections.
 */
async function startFilteredServer({ isRefused = () => false, reaction = 'broken', tls }: Filtered = {}) {
  const hellos: { hello: ReadHello; isAccepted: boolean }[] = [];
  const behind = keep(await startTlsServer({ '*': leaf }, { serve, ...tls }));
  const filter = createHelloFilter(behind.port, isRefused, reaction, (hello, isAccepted) =>
    hellos.push({ hello, isAccepted }),
  );
  let open = 0;
  filter.on('connection', (socket) => {
    open++;
    socket.once('close', () => open--);
  });
  const { port } = keep(await listening(filter));
  return {
    port,
    hellos,
    open: () => open,
    refused: () => hellos.filter(({ isAccepted }) => !isAccepted).length,
  };
}

async function observe(
  port: number,
  {
    protocol = 'https',
    parts = ['client_hellos'],
    withPosture = true,
    timeouts = PATIENT,
  }: {
    protocol?: Protocol;
    parts?: readonly PosturePart[];
    withPosture?: boolean;
    timeouts?: Partial<typeof PATIENT>;
  } = {},
) {
  const resolver = { resolve: () => Promise.resolve({ ok: true as const, addresses: ['127.0.0.1'] }) };
  const probe = createProbe({ resolver, policy, now: () => NOW, sources: NO_SOURCES, timeouts });
  const signal = new AbortController().signal;
  const endpoint = { host: 'site.test', port, protocol };
  return probe.observe(endpoint, { signal, trustStore, withPosture, postureParts: parts });
}

async function posture(
  port: number,
  options: Parameters<typeof observe>[1] = {},
): Promise<Partial<PostureObservation>> {
  return (await observe(port, options)).posture ?? {};
}

const reservesCipher = ({ ciphers }: ReadHello): boolean => ciphers.some(isReserved);
/** Returns whether a browser would send this ClientHello. Only those of browsers ask for timestamps and take more than one packet. */
const isBrowser = (hello: ReadHello): boolean => isLarge(hello) && hello.extensions.has(18);
const compresses = ({ extensions }: ReadHello): boolean => extensions.has(27);
const WITH_ML_KEM = ['chromium', 'firefox', 'apple', 'openssl', 'go', 'java'];

it('A server that answers browsers gets two of their ClientHellos in a posture check, and none in an ordinary check', async () => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const { port, hellos } = await startFilteredServer({ tls: { maxVersion } });
    expect(await posture(port, { parts: POSTURE_PARTS })).toMatchObject({
      hellos: {
        address: '127.0.0.1',
        intolerances: [],
        warningAlerts: [],
        hasEmptyRecord: false,
        hasEmptyChange: false,
      },
    });
    const fromBrowsers = hellos.filter(({ hello }) => isBrowser(hello));
    expect(fromBrowsers.map(({ hello }) => hello.length)).toEqual([2_013, 1_892]);
    hellos.length = 0;
    await observe(port, { withPosture: false });
    expect(hellos.filter(({ hello }) => isBrowser(hello))).toEqual([]);
  }
});

it.each([
  ['size', isLarge, WITH_ML_KEM],
  ['ml_kem', (hello: ReadHello) => extensionNumbers(hello, 10).includes(0x11ec), WITH_ML_KEM],
  ['grease_ciphers', reservesCipher, ['chromium', 'apple']],
  ['compression', compresses, ['chromium', 'firefox', 'apple']],
] as const)(
  'If a server rejects the part %s of ClientHellos, the posture finds it and names the clients that send it',
  async (part, isRefused, clients) => {
    for (const [reaction, seen] of Object.entries({
      broken: 'reset',
      closed: 'closed',
      alert: 'alert',
      garbage: 'not_tls',
    } as const)) {
      const { port, hellos } = await startFilteredServer({ isRefused, reaction: reaction as Reaction });
      const { hellos: tested, postponed } = await posture(port);
      expect(tested?.intolerances).toEqual([
        { part, reaction: seen, clients: expect.arrayContaining([...clients]) },
      ]);
      expect(tested?.intolerances[0]?.clients).toHaveLength(clients.length);
      expect(postponed).not.toContain('client_hellos');
      // The ClientHellos of the check and of its HTTP requests, the two that every server gets, and at most 33 to find the
      // part.
      expect(hellos.length).toBeLessThanOrEqual(37);
    }
  },
);

it('Two parts that a server does not accept are both found', async () => {
  const { port } = await startFilteredServer({
    isRefused: (hello) => reservesCipher(hello) || compresses(hello),
  });
  expect((await posture(port)).hellos?.intolerances.map(({ part }) => part)).toEqual([
    'grease_ciphers',
    'compression',
  ]);
});

it('The posture of a server that rejects long ClientHellos names the clients that send longer ones', async () => {
  for (const [limit, clients] of [
    [2_000, ['chromium']],
    [1_700, ['chromium', 'firefox']],
    [1_550, ['chromium', 'firefox', 'java', 'openssl']],
  ] as const) {
    const { port } = await startFilteredServer({ isRefused: ({ length }) => length > limit });
    const [size] = (await posture(port)).hellos?.intolerances ?? [];
    expect(size?.part).toBe('size');
    expect(size?.clients.toSorted()).toEqual([...clients].toSorted());
  }
});

it('If a server refuses a browser’s ClientHello but none of its parts alone, the finding names the browsers that send it', async () => {
  const { port } = await startFilteredServer({
    isRefused: ({ extensions }) => extensions.has(27) && extensions.has(18),
  });
  expect((await posture(port)).hellos?.intolerances).toEqual([
    { part: 'whole', reaction: 'reset', clients: ['chromium', 'firefox', 'apple'] },
  ]);
});

it.each([
  // The usual ClientHello, and two of browsers; then a plain one, Safari's and the parts of Chrome's; then the plain one and
  // the found part twice.
  [
    'reserved ciphers',
    reservesCipher,
    [
      [3, 1],
      [14, 2],
      [18, 2],
    ],
    'grease_ciphers',
    ['chromium', 'apple'],
  ],
  // A plain ClientHello, Safari's and three parts; all except Safari's twice, and five shorter ones twice.
  [
    '1,400 bytes',
    ({ length }: ReadHello) => length > 1_400,
    [
      [3, 2],
      [20, 3],
      [34, 10],
    ],
    'size',
    WITH_ML_KEM,
  ],
] as const)(
  'A server that leaves ClientHellos with %s without an answer is found within the limits of a check',
  async (_, isRefused, rounds, part, clients) => {
    stopTimers();
    const { port, hellos, open } = await startFilteredServer({ isRefused, reaction: 'silent' });
    const looking = posture(port, { timeouts: {} });
    for (const [round, expected] of rounds.entries()) {
      await expect.poll(() => [hellos.length, open()], STOPPED).toEqual(expected);
      vi.advanceTimersByTime(round === 0 ? 3_000 : 1_500);
    }
    const { hellos: tested, postponed } = await looking;
    expect(tested?.intolerances).toEqual([{ part, reaction: 'silent', clients: expect.anything() }]);
    expect(tested?.intolerances[0]?.clients.toSorted()).toEqual(clients.toSorted());
    expect(postponed).not.toContain('client_hellos');
  },
);

it.each([1, 2, 3, 4])(
  'A server that refuses the first %i ClientHellos of browsers, and accepts later ones, is not reported',
  async (count) => {
    let left = count;
    const { port } = await startFilteredServer({ isRefused: (hello) => isBrowser(hello) && left-- > 0 });
    expect((await posture(port)).hellos).toMatchObject({ intolerances: [] });
  },
);

it('A server that refuses a twelfth of all ClientHellos by chance is not reported (seed 49)', async () => {
  const random = seededRandom(49);
  const { port, refused } = await startFilteredServer({ isRefused: () => random() < 1 / 12 });
  for (let time = 0; time < 40; time++) expect((await posture(port)).hellos?.intolerances ?? []).toEqual([]);
  expect(refused()).toBeGreaterThan(5);
});

it('A server that begins to refuse every ClientHello during the test is not reported, and is tested again later', async () => {
  let left = 1;
  const { port } = await startFilteredServer({ isRefused: () => left-- <= 0 });
  expect((await posture(port)).postponed).toContain('client_hellos');
});

it('A server that refuses a fourth connection at a time answers the ClientHellos of browsers', async () => {
  const isRefused = (): boolean => server.open() > 3;
  const server = await startFilteredServer({ isRefused, reaction: 'closed' });
  const { hellos, postponed = [] } = await posture(server.port, { parts: POSTURE_PARTS });
  expect(hellos).toMatchObject({ intolerances: [] });
  expect(postponed).not.toContain('client_hellos');
});

it('A server that refuses each ClientHello of a browser once gets two more of them and a plain one', async () => {
  const refused = new Set<number>();
  const { port, hellos } = await startFilteredServer({
    isRefused: (hello) => isBrowser(hello) && !refused.has(hello.length) && !!refused.add(hello.length),
  });
  expect((await posture(port)).hellos).toMatchObject({ intolerances: [] });
  expect(hellos.filter(({ hello }) => isBrowser(hello))).toHaveLength(4);
});

it('A server that needs a group which not all browsers offer is not reported by this test: other rules name who refuses it', async () => {
  const { port } = await startFilteredServer({ tls: { ecdhCurve: 'P-521' } });
  const { hellos, postponed } = await posture(port);
  expect(hellos).toMatchObject({ intolerances: [] });
  expect(postponed).not.toContain('client_hellos');
});

it('Only https servers that speak current TLS get the ClientHellos of browsers', async () => {
  const old = await startFilteredServer({
    tls: { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
  });
  expect((await posture(old.port)).hellos).toBeUndefined();
  const other = await startFilteredServer();
  expect((await posture(other.port, { protocol: 'tls' })).hellos).toBeUndefined();
  for (const { hellos } of [old, other]) expect(hellos.filter(({ hello }) => isBrowser(hello))).toEqual([]);
});

it('Warning alerts and empty records in the answer to a ClientHello are seen', async () => {
  const behind = keep(await startTlsServer({ '*': leaf }, { serve }));
  const records = Buffer.concat([alertRecord(1, 112), Buffer.from([0x16, 3, 3, 0, 0])]);
  const { port } = keep(await listening(createRecordInserter(behind.port, records)));
  const observation = await observe(port);
  expect(observation.posture?.hellos).toMatchObject({ warningAlerts: [112], hasEmptyRecord: true });
  const { findings, posture: judged } = judge(observation, NOW, trustStore);
  expect(judged?.findings.map(({ severity, clients }) => [severity, clients])).toEqual([
    ['warning', ['java']],
    ['warning', ['go', 'gnutls']],
  ]);
  expect(findings).toEqual(expect.arrayContaining(judged?.findings ?? []));
});
