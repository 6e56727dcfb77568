import { describe, expect, it } from 'vitest';
import { authorityKeyIdentifier } from '../../tests/kit/certificates/certificate-extensions.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { parseCertificate } from './certificate.ts';
import { parseRenewalInfo, renewalInfoId } from './renewal-info.ts';

const AKI = '69885b6b87464041e1b37b847ba0ae2cde01c8d4';
const root = mintAuthority();

describe('the ARI id of a certificate (RFC 9773 §4.1)', () => {
  const named = (keyIdentifier: string, serialNumber: bigint) =>
    parseCertificate(
      root.issue({
        serialNumber,
        keyIdentifiers: null,
        extraExtensions: [authorityKeyIdentifier(Buffer.from(keyIdentifier, 'hex'))],
      }).der,
    );

  it('matches the example of the RFC', () => {
    const certificate = named(AKI, 0x87654321n);
    expect(renewalInfoId(certificate)).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  });

  it('is null without a key identifier', () => {
    expect(renewalInfoId(parseCertificate(root.issue({ keyIdentifiers: null }).der))).toBeNull();
    expect(renewalInfoId(named('', 1n))).toBeNull();
  });
});

describe('a renewal window (RFC 9773 §4.2)', () => {
  const window = (start: unknown, end: unknown, more: object = {}) =>
    parseRenewalInfo(Buffer.from(JSON.stringify({ suggestedWindow: { start, end }, ...more })));
  const [start, end] = ['2026-01-02T04:00:00Z', '2026-01-03T04:00:00Z'];

  it('is read with and without an explanation', () => {
    const times = { start: Date.parse(start), end: Date.parse(end) };
    expect(window(start, end)).toEqual({ ...times, explanationUrl: null });
    expect(window(start, end, { explanationURL: 'https://ca.example/why' })).toEqual({
      ...times,
      explanationUrl: 'https://ca.example/why',
    });
    expect(window('2026-01-02T05:00:00.123456+01:00', end)).toMatchObject({ start: times.start + 123 });
  });

  it.each(['javascript:alert(1)', 'ftp://x', '', 5, `https://x/${'y'.repeat(2048)}`])(
    'is read without the unusable explanation URL %j',
    (explanationURL) =>
      expect(window(start, end, { explanationURL })).toMatchObject({ explanationUrl: null }),
  );

  it.each<[string, unknown, unknown]>([
    ['an end before the start', end, start],
    ['a length of zero', start, start],
    ['numbers instead of times', 1, 2],
    ['no times', undefined, undefined],
    ['another date format', 'Jan 2 2026', 'Jan 3 2026'],
    ['an impossible date', '2026-13-02T04:00:00Z', end],
  ])('is ignored if it has %s', (_, from, to) => expect(window(from, to)).toBeNull());

  it.each(['', '{', 'null', '[]', '"x"', '{"suggestedWindow":null}'])('is not read from %j', (text) => {
    expect(parseRenewalInfo(Buffer.from(text))).toBeNull();
  });
});
