import { describe, expect, it } from 'vitest';
import { displayName, type EndpointPolicy, normaliseEndpoint } from './endpoint.ts';
import { describeTarget, effectiveTarget, identityOf } from './target.ts';
import type { TargetField } from '../../contract/check-words.ts';

const PUBLIC = '93.184.215.14';
const closed: EndpointPolicy = { permitsAddress: (ip) => ip === PUBLIC, permitsLocalNames: false };
const open: EndpointPolicy = { permitsAddress: () => true, permitsLocalNames: true };
type Typed = Partial<Record<TargetField, string | null>>;

function read(typed: Typed, host = 'example.com', policy = open) {
  const result = normaliseEndpoint(host, policy, typed);
  if (!result.ok) throw new Error(`refused: ${result.message}`);
  return result.endpoint;
}

function refusal(typed: Typed, host = 'example.com', policy = open): string | null {
  const result = normaliseEndpoint(host, policy, typed);
  return result.ok ? null : result.message;
}

describe('the target of an endpoint', () => {
  it.each<[Typed, string]>([
    [{ connect_to: ' 10.0.0.7 ' }, '{"connect_to":"10.0.0.7"}'],
    [{ connect_to: '10.0.0.7:8443' }, '{"connect_to":"10.0.0.7:8443"}'],
    [{ connect_to: '[2001:DB8::0:1]:8443' }, '{"connect_to":"[2001:db8::1]:8443"}'],
    [{ connect_to: '[::ffff:10.0.0.7]' }, '{"connect_to":"10.0.0.7"}'],
    [{ connect_to: 'Bücher.example.' }, '{"connect_to":"xn--bcher-kva.example"}'],
    [{ connect_to: 'example.com:8443' }, '{"connect_to":"example.com:8443"}'],
    [{ server_name: 'Other.Example' }, '{"server_name":"other.example"}'],
    [{ server_name: 'None' }, '{"server_name":"none"}'],
    [{ verify_name: '2001:DB8::1' }, '{"verify_name":"2001:db8::1"}'],
    [{ verify_name: '[2001:db8::1]' }, '{"verify_name":"2001:db8::1"}'],
    [{ expected_status: '401, 200-399' }, '{"expected_status":"200-399,401"}'],
    [{ family: 'IPv6' }, '{"family":"6"}'],
    [
      { family: '4', verify_name: 'b.example', connect_to: 'a.example', server_name: 'c.example' },
      '{"connect_to":"a.example","server_name":"c.example","verify_name":"b.example","family":"4"}',
    ],
  ])('of %j has the canonical text %s', (typed, text) => {
    expect(read(typed).target).toBe(text);
  });

  it.each<[string, Typed]>([
    ['example.com', {}],
    ['example.com', { connect_to: null, server_name: '', verify_name: ' ', expected_status: undefined }],
    ['example.com', { connect_to: 'example.com', server_name: 'EXAMPLE.com', verify_name: 'example.com.' }],
    ['example.com:8443', { connect_to: 'example.com:8443' }],
    ['10.0.0.7', { server_name: 'none', family: '4' }],
  ])('is absent if all its fields equal the defaults: %s with %j', (host, typed) => {
    expect(read(typed, host)).not.toHaveProperty('target');
  });

  it('is equal for spellings that mean the same, whichever order they have', () => {
    const one = read({ connect_to: '[::ffff:10.0.0.7]:443', expected_status: '200-299,300' });
    expect(read({ expected_status: '300,200-299', connect_to: '10.0.0.7' })).toEqual(one);
  });

  it.each<[Typed, string, string?]>([
    [{ connect_to: 'https://10.0.0.7' }, 'Connect to: Enter a host name or an IP address'],
    [{ connect_to: 'user@10.0.0.7' }, 'Connect to: Enter a host name or an IP address'],
    [{ connect_to: ':8443' }, 'Connect to: Enter a host name or an IP address'],
    [{ connect_to: '2001:db8::1' }, 'Connect to: Put an IPv6 address in brackets'],
    [{ connect_to: '10.0.0.7:0' }, 'Connect to: The port must be'],
    [{ connect_to: '0x7f.1' }, 'Connect to: Write an IPv4 address as four'],
    [{ server_name: '10.0.0.7' }, 'Server name: Enter a host name'],
    [{ server_name: 'other.example:443' }, 'Server name: Enter a host name'],
    [{ verify_name: 'a b' }, 'Name to verify: Enter a host name'],
    [{ verify_name: '*.example.com' }, 'Name to verify: Enter a host name'],
    [{ expected_status: '2xx' }, 'Expected status: Enter HTTP statuses'],
    [
      { expected_status: '200' },
      'Expected status: Only https has an HTTP status. If the host is a website, write https:// before it.',
      'example.com:9443',
    ],
    [{ family: '5' }, 'Address family: Enter 4 or 6'],
    [
      { family: '6', connect_to: '10.0.0.7' },
      'Address family: The IP address to connect to is not of this family.',
    ],
  ])('is refused with its field and the reason: %j', (typed, message, host) => {
    expect(refusal(typed, host)).toContain(message);
  });

  it('is refused if the policy forbids the address to connect to, but names that are only sent may be local', () => {
    expect(refusal({ connect_to: '10.0.0.7' }, 'example.com', closed)).toMatch(
      /^Connect to: This IP address is private/,
    );
    expect(refusal({ connect_to: 'nas' }, 'example.com', closed)).toMatch(
      /^Connect to: This name works on a local/,
    );
    expect(refusal({}, 'intranet', closed)).toMatch(/^This name works on a local/);
    expect(refusal({ connect_to: 'intranet' }, 'intranet', closed)).toMatch(
      /^Connect to: This name works on a local/,
    );
    expect(
      refusal({ connect_to: PUBLIC, server_name: 'nas', verify_name: '10.0.0.1' }, 'intranet', closed),
    ).toBeNull();
  });
});

describe('effectiveTarget', () => {
  it('fills in the host and its port where the target says nothing', () => {
    expect(effectiveTarget({ host: 'example.com', port: 8443 })).toEqual({
      connectTo: { host: 'example.com', port: 8443 },
      serverName: 'example.com',
      verifyName: 'example.com',
      expectedStatus: null,
      family: null,
    });
  });

  it('verifies the host even if another server name is sent', () => {
    const endpoint = read({ connect_to: '[2001:db8::1]:8443', server_name: 'other.example', family: '6' });
    expect(effectiveTarget(endpoint)).toMatchObject({
      connectTo: { host: '2001:db8::1', port: 8443 },
      serverName: 'other.example',
      verifyName: 'example.com',
    });
    expect(effectiveTarget(read({ server_name: 'none' })).serverName).toBeNull();
  });
});

describe('the names of endpoints with a target', () => {
  it.each<[Typed, string, string]>([
    [{ connect_to: '10.0.0.7' }, 'example.com via 10.0.0.7', 'The check connects to 10.0.0.7.'],
    [
      { connect_to: '10.0.0.7:8443', server_name: 'none', family: '4' },
      'example.com via 10.0.0.7:8443 (no server name)',
      'The check connects to 10.0.0.7:8443 and sends no server name.',
    ],
    [
      { server_name: 'b.example', verify_name: 'c.example', expected_status: '200', family: '6' },
      'example.com (server name b.example, verifies c.example, status 200, IPv6)',
      'The check sends the server name b.example, expects a certificate for c.example, expects the HTTP status 200 and uses IPv6 only.',
    ],
  ])('tell %j apart', (typed, name, sentence) => {
    const endpoint = read(typed);
    expect(displayName(endpoint)).toBe(name);
    expect(describeTarget(endpoint.target)).toBe(sentence);
  });

  it('are stored without a field for the target if there is none', () => {
    const plain = { host: 'example.com', port: 443, protocol: 'https' } as const;
    expect(identityOf({ ...plain, target: '' })).toStrictEqual(plain);
    expect(describeTarget('')).toBeNull();
  });
});
