import { describe, expect, it, vi } from 'vitest';
import {
  failedAddress,
  handshakeWith,
  issue,
  judgedAddresses,
  observation,
  withChain,
} from '../../tests/kit/certificates/judging.ts';
import type { AddressObservation, HandshakeObservation, Observation } from '../core/observation.ts';
import type { Verdict } from '../core/verdict.ts';
import { type JudgedObservation, tryOwnClientFirst } from './first-look.ts';

const leaf = issue();
const TLS = { group: 'X25519', alpn: 'h2' };
const ANSWERED = {
  outcome: 'answered',
  address: '192.0.2.1',
  method: 'HEAD',
  status: 200,
  durationMs: 9,
} as const;

const shown = (changes: Partial<HandshakeObservation> = {}, one = leaf) =>
  handshakeWith(withChain(one), { ...TLS, ...changes });

function seen(
  addresses: AddressObservation[],
  http: Observation['http'] = ANSWERED,
  previous?: Verdict,
): JudgedObservation {
  return {
    observation: observation(addresses, { http }),
    verdicts: [judgedAddresses(addresses, { http }, previous)],
  };
}

const FINE = seen([shown()]);
const fine = FINE.verdicts[0] as Verdict;
const BROKEN = seen([failedAddress({ stage: 'handshake', reason: 'tls_alert' })]);

function check(
  withOwnClient: readonly (JudgedObservation | null)[],
  more: {
    withOpenssl?: readonly JudgedObservation[];
    previous?: readonly (Verdict | null)[];
    isSampled?: boolean;
  } = {},
) {
  const { withOpenssl = [BROKEN], previous = [fine], isSampled = false } = more;
  const mocks = {
    withOwnClient: vi.fn<() => Promise<JudgedObservation | null>>(),
    withOpenssl: vi.fn<() => Promise<JudgedObservation>>(),
    onDifference: vi.fn<(detail: string) => void>(),
  };
  for (const one of withOwnClient) mocks.withOwnClient.mockResolvedValueOnce(one);
  for (const one of withOpenssl) mocks.withOpenssl.mockResolvedValueOnce(one);
  const asked = { previous, withPosture: false };
  return { ...mocks, asked, result: tryOwnClientFirst(asked, { ...mocks, isSampled: () => isSampled }) };
}

describe('A check with our own TLS client', () => {
  it('is enough, with one connection, if it confirms a good verdict', async () => {
    expect(fine).toMatchObject({ trusted: true, failure: null });
    const { result, withOpenssl } = check([FINE]);
    expect(await result).toBe(FINE);
    expect(withOpenssl).not.toHaveBeenCalled();
  });

  it('is enough for a host with an address that this machine has no route to', async () => {
    const half = seen([shown(), failedAddress({ reason: 'no_route_here' })]);
    const { result } = check([half], { previous: half.verdicts });
    expect(await result).toBe(half);
  });

  it.each<[string, readonly (Verdict | null)[]]>([
    ['there is no earlier verdict', [null]],
    ['no monitor needs a verdict', []],
    ['one of the earlier verdicts is not trusted', [fine, { ...fine, trusted: false }]],
    ['the host was not reached', [BROKEN.verdicts[0] as Verdict]],
    ['the host spoke TLS 1.2', [seen([shown({ tlsVersion: 'TLSv1.2' })]).verdicts[0] as Verdict]],
    ['the host chose another group', [seen([shown({ group: 'P-256' })]).verdicts[0] as Verdict]],
    ['one of two addresses failed', [seen([shown(), failedAddress()]).verdicts[0] as Verdict]],
    ['a certificate was revoked', [{ ...fine, revocation: { ...fine.revocation, state: 'revoked' } }]],
  ])('is not made if %s', async (_name, previous) => {
    const { result, withOwnClient } = check([FINE], { previous });
    expect(await result).toBe(BROKEN);
    expect(withOwnClient).not.toHaveBeenCalled();
  });

  it('is not made for the daily posture and for new hosts', async () => {
    for (const more of [{ withPosture: true }, { withPosture: false, isNew: true }]) {
      const withOwnClient = vi.fn<() => Promise<JudgedObservation | null>>();
      const withOpenssl = (): Promise<JudgedObservation> => Promise.resolve(BROKEN);
      await tryOwnClientFirst(
        { previous: [fine], ...more },
        { withOwnClient, withOpenssl, onDifference: vi.fn() },
      );
      expect(withOwnClient).not.toHaveBeenCalled();
    }
  });

  it.each<[string, JudgedObservation | null]>([
    ['is unusual', null],
    ['shows a failure', BROKEN],
    ['shows an untrusted chain', seen([shown({ presentedChain: [issue().der] }), shown()])],
    ['shows an expired certificate', seen([shown({}, issue({ notAfter: 0, notBefore: 0 }))])],
    ['shows another leaf', seen([shown({}, issue())])],
    ['shows a failing address', seen([shown(), failedAddress()])],
    ['gets no answer by HTTP', seen([shown()], null)],
    ['gets a status that means down', seen([shown()], { ...ANSWERED, status: 503 })],
    ['gets a status that needs a GET', seen([shown()], { ...ANSWERED, status: 405 })],
    [
      'gets no status',
      seen([shown()], { outcome: 'failed', address: '192.0.2.1', reason: 'closed', durationMs: 1 }),
    ],
    ['gets faulty HTTP/2', seen([shown()], { ...ANSWERED, http2Faults: ['late_settings'] })],
  ])('is repeated with OpenSSL if it %s', async (_name, unusual) => {
    const { result, withOpenssl, onDifference } = check([unusual], { withOpenssl: [FINE] });
    expect(await result).toBe(FINE);
    expect(withOpenssl).toHaveBeenCalledOnce();
    expect(onDifference).not.toHaveBeenCalled();
  });

  it.each<[string, JudgedObservation, string]>([
    ['a failed handshake', BROKEN, 'OpenSSL fails with tls_alert'],
    ['another version', seen([shown({ tlsVersion: 'TLSv1.2' })]), 'other tlsVersion'],
    ['another protocol', seen([shown({ alpn: null })]), 'other alpn'],
    ['a staple', seen([shown({ staple: Buffer.of(1) })]), 'only one gets an OCSP response'],
    ['other intermediates', seen([shown({ presentedChain: [leaf.der] })]), 'other intermediates'],
  ])(
    'reports that OpenSSL sees %s at a sampled host, if that happens four times in a row',
    async (_name, other, what) => {
      const address =
        other === BROKEN
          ? [failedAddress({ address: '192.0.2.1', stage: 'handshake', reason: 'tls_alert' })]
          : null;
      const theirs = address === null ? other : seen(address);
      const four = Array.from({ length: 4 }, () => FINE);
      const always = check(four, { withOpenssl: four.map(() => theirs), isSampled: true });
      expect(await always.result).toBe(theirs);
      expect(always.onDifference).toHaveBeenCalledExactlyOnceWith(
        `Two TLS clients see pay.fjord.example:443 at 192.0.2.1 differently: ${what}.`,
      );
      const thrice = check(four, { withOpenssl: [theirs, theirs, theirs, FINE], isSampled: true });
      expect(await thrice.result).toBe(theirs);
      expect(thrice.onDifference).not.toHaveBeenCalled();
    },
  );

  it('reports no difference if one of the clients does not see the same each time, as behind a load balancer', async () => {
    const stapled = seen([shown({ staple: Buffer.of(1) })]);
    const [swapped, changing] = [
      check([FINE, stapled, FINE, FINE], { withOpenssl: [stapled, FINE, stapled, stapled], isSampled: true }),
      check([FINE, FINE, FINE, FINE], {
        withOpenssl: [stapled, stapled, seen([shown({ staple: Buffer.of(1), alpn: null })]), stapled],
        isSampled: true,
      }),
    ];
    for (const { result, onDifference } of [swapped, changing]) {
      await result;
      expect(onDifference).not.toHaveBeenCalled();
    }
  });

  it.each<[string, JudgedObservation]>([
    ['the same', FINE],
    ['another leaf of a server that has several', seen([shown({}, issue())])],
    ['a timeout', seen([failedAddress({ address: '192.0.2.1', stage: 'handshake', reason: 'timeout' })])],
    ['a refused connection', seen([failedAddress({ address: '192.0.2.1', reason: 'refused' })])],
  ])('reports no difference if OpenSSL sees %s at a sampled host', async (_name, theirs) => {
    const { result, withOwnClient, onDifference } = check([FINE], { withOpenssl: [theirs], isSampled: true });
    expect(await result).toBe(theirs);
    expect(withOwnClient).toHaveBeenCalledOnce();
    expect(onDifference).not.toHaveBeenCalled();
  });
});
