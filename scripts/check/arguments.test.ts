import { describe, expect, it } from 'vitest';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { readArguments, UsageError } from './arguments.ts';

const everywhere = createAddressPolicy(['0.0.0.0/0', '::/0'], () => []);
const read = (...words: string[]) => readArguments(words, everywhere, '/nowhere');

describe('readArguments', () => {
  it('accepts hosts with ports and schemes, drops duplicates, and allows private networks', () => {
    const hosts = ['example.com', 'https://example.com/a', 'smtp://mail.test', 'nas', '192.168.0.2:8443'];
    expect(read(...hosts).endpoints).toEqual([
      expect.objectContaining({ host: 'example.com', port: 443, protocol: 'https' }),
      expect.objectContaining({ host: 'mail.test', port: 25, protocol: 'smtp' }),
      expect.objectContaining({ host: 'nas', kind: 'local-name' }),
      expect.objectContaining({ host: '192.168.0.2', port: 8443 }),
    ]);
  });

  it('reads the target of every host from options', () => {
    const target = (...words: string[]) => read('example.com', ...words).endpoints[0]?.target;
    expect(target('--connect-to', '10.0.0.7', '--server-name', 'other.example')).toBe(
      '{"connect_to":"10.0.0.7","server_name":"other.example"}',
    );
    expect(target('--connect-to=[2001:db8::1]:8443', '--server-name=none', '--family=6')).toBe(
      '{"connect_to":"[2001:db8::1]:8443","server_name":"none"}',
    );
    expect(target('--verify-name=192.0.2.7', '--expected-status=200-399,401', '--family=4')).toBe(
      '{"verify_name":"192.0.2.7","expected_status":"200-399,401","family":"4"}',
    );
    expect(read('a.example', 'b.example', '--family', '4').endpoints).toHaveLength(2);
  });

  it('skips invalid hosts and returns an error message for each', () => {
    const { endpoints, refused } = read('a b', 'example.com', '169.254.169.254');
    expect(endpoints).toMatchObject([{ host: 'example.com' }]);
    expect(refused).toEqual([
      expect.stringMatching(/^“a b”: A host name can contain/),
      expect.stringMatching(/^“169\.254\.169\.254”: .*private or reserved/),
    ]);
  });

  it('reads the output format, and accepts -h without a host', () => {
    expect(read('example.com').format).toBe('text');
    expect(read('--json', 'example.com').format).toBe('json');
    expect(read('example.com', '--markdown').format).toBe('markdown');
    expect(read('-h')).toMatchObject({ help: true, endpoints: [] });
  });

  it.each([
    [['a b'], /“a b”: A host name can contain/],
    [['169.254.169.254'], /private or reserved/],
    [[], /^Name a host, /],
    [['example.com', '--ca', 'missing.pem'], /\/nowhere\/missing\.pem cannot be read \(ENOENT\)/],
    [['example.com', '--json', '--markdown'], /Choose either/],
    [['example.com', '--connect-to', 'https://x'], /“example\.com”: Connect to: Enter a host name/],
    [['example.com', '--family', '5'], /Address family: Enter 4 or 6/],
    [['example.com', '--nonsense'], /Unknown option '--nonsense'/],
    [['example.com', '--ca'], /argument missing/],
  ])('refuses the arguments %j', (words, complaint) => {
    expect(() => read(...words)).toThrow(UsageError);
    expect(() => read(...words)).toThrow(complaint);
  });
});
