import { describe, expect, it } from 'vitest';
import { ANSWERS_404, healthySite, NOW, withContext } from '../../../../tests/kit/product/renewal-site.ts';
import type { HttpChallengeResult } from '../evidence.ts';
import { checkHttp, checkTlsAlpn } from './http-checks.ts';

const CLOSED: HttpChallengeResult = { outcome: 'no_connection', why: 'timeout' };
const NOT_TESTED: HttpChallengeResult = { outcome: 'not_tested' };
const status = (code: number, isPage = false): HttpChallengeResult => ({
  ...ANSWERS_404,
  status: code,
  isPage,
});
const redirect = { outcome: 'bad_redirect', why: 'port', url: 'http://example.com:8080/' } as const;

/** Judges a host by the results of its addresses. */
const judge = (results: Record<string, HttpChallengeResult>) => {
  const { evidence, context } = healthySite();
  const http = [
    {
      host: 'example.com',
      results: Object.entries(results).map(([address, result]) => ({ address, result })),
    },
  ];
  return checkHttp({ evidence: { ...evidence, http }, context, ca: null, expectedAt: NOW }).map(
    ({ state, reason }) => `${state} ${reason}`,
  );
};

describe('http-01', () => {
  it.each([
    [404, 'passes answers'],
    [200, 'passes answers'],
    [401, 'not_known refused'],
    [403, 'not_known refused'],
    [500, 'not_known server_error'],
    [503, 'not_known server_error'],
    [303, 'depends other_redirect'],
  ])('judges status %i', (code, expected) =>
    expect(judge({ '192.0.2.1': status(code) })).toEqual([expected]),
  );

  it('warns of a page for a token that does not exist', () => {
    expect(judge({ '192.0.2.1': status(200, true) })).toEqual(['warns page']);
  });

  it('depends on the method if no address accepts connections', () => {
    expect(judge({ '192.0.2.1': CLOSED, '2001:db8::1': CLOSED })).toEqual(['depends port_closed']);
  });

  it('judges IPv6, and IPv4 only if no IPv6 address accepts connections', () => {
    expect(judge({ '192.0.2.1': ANSWERS_404, '2001:db8::1': redirect })).toEqual(['depends redirect']);
    expect(judge({ '192.0.2.1': redirect, '2001:db8::1': ANSWERS_404 })).toEqual(['passes answers']);
    expect(judge({ '192.0.2.1': ANSWERS_404, '2001:db8::1': CLOSED })).toEqual(['warns dead_ipv6']);
    expect(judge({ '192.0.2.1': redirect, '2001:db8::1': CLOSED })).toEqual(['depends redirect']);
    expect(judge({ '192.0.2.1': ANSWERS_404, '192.0.2.2': CLOSED })).toEqual(['warns dead_address']);
  });

  it('says nothing about addresses that this machine cannot test', () => {
    expect(judge({ '192.0.2.1': ANSWERS_404, '2001:db8::1': NOT_TESTED })).toEqual(['passes answers']);
    expect(judge({ '2001:db8::1': NOT_TESTED })).toEqual([]);
  });
});

describe('tls-alpn-01', () => {
  const judgeTls = (addresses: string[]) => {
    const unreachable443 = addresses.map((address) => ({ host: 'example.com', address }));
    const { evidence, context } = withContext(healthySite(), { unreachable443 });
    return checkTlsAlpn({ evidence, context, ca: null, expectedAt: NOW }).map(
      ({ state, reason }) => `${state} ${reason}`,
    );
  };

  it('depends on the method only if the last check reached no address of the host', () => {
    expect(judgeTls([])).toEqual([]);
    expect(judgeTls(['192.0.2.1'])).toEqual(['warns dead_address']);
    expect(judgeTls(['192.0.2.1', '2001:db8::1'])).toEqual(['depends port_closed']);
  });
});
