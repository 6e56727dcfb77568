import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  extensionNumbers,
  isReserved,
  readHello,
  type ReadHello,
  shareGroups,
} from '../../../tests/kit/peers/hello-proxies.ts';
import { CLIENTS_OF_PART } from '../../core/judge/clients/hello-rules.ts';
import { HELLO_PARTS, type HelloPart } from '../../core/observation.ts';
import { browserContext, modernContext } from '../tls-contexts.ts';
import { type HelloShape, type HelloTarget, helloWriter, writeHello } from './client-hello.ts';
import { BROWSER_HELLOS, plainHello, usualHello } from './hello-shapes.ts';

const TARGET: HelloTarget = { serverName: 'odd.example', alpn: ['h2', 'http/1.1'] };
const written = (shape: HelloShape, target = TARGET): ReadHello => readHello(writeHello(shape, target));
const { chromium, firefox, apple } = BROWSER_HELLOS;

/** Functions that tell, for each part that browsers add to a ClientHello, whether a given ClientHello has it. */
const HAS: Record<Exclude<HelloPart, 'whole'>, (hello: ReadHello) => boolean> = {
  size: ({ length }) => length > 1_460,
  ml_kem: (hello) => extensionNumbers(hello, 10).includes(0x11ec) && shareGroups(hello).includes(0x11ec),
  ml_dsa: (hello) => extensionNumbers(hello, 13).includes(0x0905),
  grease_ciphers: ({ ciphers }) => ciphers.some(isReserved),
  grease_extensions: ({ extensions }) => [...extensions.keys()].some(isReserved),
  grease_groups: (hello) =>
    extensionNumbers(hello, 10).some(isReserved) && shareGroups(hello).some(isReserved),
  grease_versions: (hello) => extensionNumbers(hello, 43, 1).some(isReserved),
  grease_signatures: (hello) => extensionNumbers(hello, 13).some(isReserved),
  ech: ({ extensions }) => extensions.has(0xfe0d),
  compression: ({ extensions }) => extensions.has(27),
  alps: ({ extensions }) => extensions.has(0x44cd),
  trust_anchors: ({ extensions }) => extensions.has(0xca34),
  timestamps: ({ extensions }) => extensions.has(18),
  delegated_credentials: ({ extensions }) => extensions.has(34),
  record_size_limit: ({ extensions }) => extensions.has(28),
};
const partsOf = (hello: ReadHello): string[] =>
  Object.entries(HAS).flatMap(([part, has]) => (has(hello) ? [part] : []));

describe('the ClientHellos of browsers', () => {
  it('are as long as captured ClientHellos', () => {
    expect([chromium, firefox, apple].map((shape) => written(shape).length)).toEqual([2_015, 1_894, 1_534]);
  });

  it('offer the same as captured ClientHellos, in the same order', () => {
    const values = (shape: HelloShape, type: number) =>
      written(shape).extensions.get(type)?.toString('hex') ?? '';
    expect([...written(firefox).extensions.keys()]).toEqual([
      0, 23, 65_281, 10, 11, 35, 16, 5, 34, 18, 51, 43, 13, 45, 28, 27, 65_037,
    ]);
    expect(values(firefox, 10)).toBe('000e11ec001d00170018001901000101');
    expect(values(firefox, 13)).toBe('001604030503060308040805080604010501060102030201');
    expect(values(firefox, 27)).toBe('06000100020003');
    expect(values(chromium, 13)).toMatch(/^0018(?:.a){2}09040905090604030804040105030805050108060601$/);
    expect(values(chromium, 0xca34)).toMatch(/^00b80582df1302010582df130206/);
    expect(values(chromium, 16)).toBe('000c02683208687474702f312e31');
    expect(written(chromium).ciphers.slice(1)).toEqual(written(plainHello()).ciphers);
  });

  it.each(['chromium', 'firefox', 'apple'] as const)(
    'have exactly the parts that `CLIENTS_OF_PART` lists for %s',
    (browser) => {
      const listed = HELLO_PARTS.filter((part) => CLIENTS_OF_PART[part].includes(browser));
      expect(partsOf(written(BROWSER_HELLOS[browser]))).toEqual(listed);
    },
  );

  it('have other reserved values each time, and never the same reserved extension twice', () => {
    const ciphers = Array.from({ length: 64 }, () => written(chromium).ciphers[0]);
    expect(new Set(ciphers).size).toBeGreaterThan(4);
    for (let index = 0; index < 64; index++)
      expect(written(chromium).extensions.size).toBe(chromium.extensions.length);
  });
});

describe('a plain ClientHello', () => {
  it('has none of the parts of browsers, or only the part that is requested', () => {
    expect(partsOf(written(plainHello()))).toEqual([]);
    for (const part of Object.keys(HAS) as HelloPart[]) {
      const expected = part === 'size' ? [] : part === 'ml_kem' ? ['size', 'ml_kem'] : [part];
      expect(partsOf(written(plainHello(part)))).toEqual(expected);
    }
  });

  it('can be padded to a length', () => {
    for (const bytes of [300, 512, 1_500, 2_015])
      expect(writeHello(plainHello(), TARGET, bytes)).toHaveLength(bytes);
    expect(writeHello(plainHello(), TARGET, 100)).toHaveLength(269);
  });

  it('has SNI only for a host name, and ALPN only with protocols', () => {
    const types = (target: HelloTarget) => [...written(chromium, target).extensions.keys()];
    expect(types(TARGET)).toEqual(expect.arrayContaining([0, 16, 0x44cd]));
    for (const serverName of [null, '192.0.2.1', '2001:db8::1'])
      expect(types({ ...TARGET, serverName })).not.toContain(0);
    expect(types({ ...TARGET, alpn: [] })).not.toContain(16);
    expect(types({ ...TARGET, alpn: ['http/1.1'] })).not.toContain(0x44cd);
  });
});

describe('the ClientHello of our own TLS client', () => {
  it.each([
    ['a web server', true, browserContext],
    ['another server', false, modernContext],
  ])('offers %s the same as OpenSSL, in the same order', async (_name, isWeb, secureContext) => {
    const [near, far] = duplexPair();
    const tls = connect({
      socket: near,
      secureContext,
      servername: 'odd.example',
      requestOCSP: true,
      ALPNProtocols: [...TARGET.alpn],
    });
    tls.on('error', () => undefined);
    const [record] = (await once(far, 'data')) as [Buffer];
    tls.destroy();
    const [ours, theirs] = [written(usualHello(isWeb)), readHello(record)];
    const noRenegotiation = 0x00ff;
    expect(ours.ciphers).toEqual(theirs.ciphers.filter((cipher) => cipher !== noRenegotiation));
    for (const type of [10, 13]) expect(extensionNumbers(ours, type)).toEqual(extensionNumbers(theirs, type));
    expect(extensionNumbers(ours, 43, 1)).toEqual(extensionNumbers(theirs, 43, 1));
    expect(shareGroups(ours)).toEqual(shareGroups(theirs));
    for (const type of [0, 5, 16]) expect(ours.extensions.get(type)).toEqual(theirs.extensions.get(type));
  });

  it('is the same from `helloWriter` as from `writeHello`, except for its random values', () => {
    const share = { x25519Share: Buffer.alloc(32, 9) };
    const write = helloWriter(usualHello(true), { alpn: TARGET.alpn, ...share });
    for (const serverName of ['odd.example', 'another.odd.example', '192.0.2.1', null]) {
      const expected = writeHello(usualHello(true), { ...TARGET, serverName, ...share });
      const [one, other] = [write(serverName), write(serverName)];
      const withoutRandom = (record: Buffer) =>
        Buffer.concat([record.subarray(0, 11), record.subarray(43, 44), record.subarray(76)]);
      expect(withoutRandom(one)).toEqual(withoutRandom(expected));
      expect(one.subarray(11, 43)).not.toEqual(other.subarray(11, 43));
      expect(one.subarray(44, 76)).not.toEqual(other.subarray(44, 76));
    }
  });
});
