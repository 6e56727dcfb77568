import { describe, expect, it } from 'vitest';
import type { FindingCode } from '../finding.ts';
import { reproductionCommand } from './describe-finding.ts';
import { failureCommand, type Reproduction, responseCommand, shellQuoted } from './reproduce.ts';

const HOST = 'pay.fjord.example';

function line({
  host = HOST,
  port = 443,
  protocol = 'https',
  target = '',
  ...rest
}: Partial<Reproduction> & { code?: FindingCode } & Partial<Reproduction['endpoint']> = {}): string {
  const asked = { code: 'incomplete_chain', addresses: [], tlsVersion: null, keyType: null } as const;
  return reproductionCommand({ ...asked, ...rest, endpoint: { host, port, protocol, target } }) ?? '';
}

describe('reproductionCommand', () => {
  it('uses curl for https, by name or at one address', () => {
    expect(line()).toBe('curl -sSI https://pay.fjord.example/');
    expect(line({ port: 8443 })).toBe('curl -sSI https://pay.fjord.example:8443/');
    expect(line({ addresses: ['192.0.2.1'] })).toBe(
      'curl -sSI --resolve pay.fjord.example:443:192.0.2.1 https://pay.fjord.example/',
    );
    expect(line({ addresses: ['2001:db8::1'], port: 8443 })).toBe(
      "curl -sSI --resolve 'pay.fjord.example:8443:[2001:db8::1]' https://pay.fjord.example:8443/",
    );
    expect(line({ host: '2001:db8::1', addresses: ['2001:db8::1'] })).toBe(
      "curl -sSI 'https://[2001:db8::1]/'",
    );
  });

  it('makes commands connect to the address of the target, with its server name and family', () => {
    const to = '{"connect_to":"10.0.0.7:8443"}';
    expect(line({ target: to })).toBe(
      'curl -sSI --connect-to pay.fjord.example:443:10.0.0.7:8443 https://pay.fjord.example/',
    );
    expect(line({ target: '{"connect_to":"backend.example"}', addresses: ['2001:db8::1'] })).toBe(
      "curl -sSI --connect-to 'pay.fjord.example:443:[2001:db8::1]:443' https://pay.fjord.example/",
    );
    expect(line({ target: '{"family":"6"}' })).toBe('curl -sSI -6 https://pay.fjord.example/');
    // curl cannot send another server name than that of the URL.
    expect(line({ target: '{"connect_to":"10.0.0.7:8443","server_name":"other.example"}' })).toBe(
      'openssl s_client -connect 10.0.0.7:8443 -servername other.example -alpn h2,http/1.1 -verify_return_error </dev/null',
    );
    expect(line({ code: 'expired', target: '{"server_name":"none","family":"4"}' })).toBe(
      'openssl s_client -connect pay.fjord.example:443 -4 -noservername -alpn h2,http/1.1 </dev/null 2>/dev/null | openssl x509 -noout -dates',
    );
    const endpoint = { host: HOST, port: 8080, protocol: 'https', target: to } as const;
    expect(responseCommand(endpoint)).toBe(
      'curl -ksSI --max-time 20 --connect-to pay.fjord.example:8080:10.0.0.7:8443 https://pay.fjord.example:8080/',
    );
    expect(responseCommand({ ...endpoint, target: '{"server_name":"none"}' })).toBe(
      String.raw`printf 'HEAD / HTTP/1.1\r\nHost: pay.fjord.example:8080\r\nConnection: close\r\n\r\n' | openssl s_client -connect pay.fjord.example:8080 -noservername -alpn http/1.1 -quiet`,
    );
    expect(failureCommand(endpoint, { stage: 'connect' })).toContain(' --connect-to pay.');
    const mail = {
      ...endpoint,
      protocol: 'smtp',
      target: '{"connect_to":"mx.example:25","family":"6"}',
    } as const;
    expect(failureCommand(mail, { stage: 'connect' })).toBe('nc -6 -vz -w 10 mx.example 25');
    expect(failureCommand(mail, { stage: 'dns' })).toBe('dig mx.example A; dig mx.example AAAA');
    const chat = { host: 'chat.example', port: 5222, protocol: 'xmpp' } as const;
    expect(failureCommand(chat, { stage: 'dns' })).toBe(
      'dig _xmpp-client._tcp.chat.example SRV; dig _xmpps-client._tcp.chat.example SRV; dig chat.example A; dig chat.example AAAA',
    );
  });

  it('passes the root of a private authority to commands that verify', () => {
    expect(line({ hasOwnRoot: true })).toBe('curl -sSI --cacert your-ca.pem https://pay.fjord.example/');
    expect(line({ hasOwnRoot: true, protocol: 'tls' })).toContain('-CAfile your-ca.pem -verify_return_error');
    expect(line({ hasOwnRoot: true, code: 'revoked' })).toContain('-CAfile your-ca.pem -crl_check');
    expect(line({ hasOwnRoot: true, code: 'expired' })).not.toContain('your-ca.pem');
  });

  it.each([
    ['smtp', 25, '-starttls smtp'],
    ['lmtp', 24, '-starttls lmtp'],
    ['imap', 143, '-starttls imap'],
    ['pop3', 110, '-starttls pop3'],
    ['ftp', 21, '-starttls ftp'],
    ['nntp', 119, '-starttls nntp'],
    ['sieve', 4190, '-starttls sieve'],
    ['xmpp', 5222, '-starttls xmpp -xmpphost pay.fjord.example'],
    ['xmpp-server', 7777, '-starttls xmpp-server -xmpphost pay.fjord.example'],
    ['ldap', 389, '-starttls ldap'],
    ['postgres', 5432, '-starttls postgres'],
    ['mysql', 3306, '-starttls mysql'],
  ] as const)('uses STARTTLS for %s', (protocol, port, option) => {
    expect(line({ protocol, port })).toBe(
      `openssl s_client -connect ${HOST}:${port} -servername ${HOST} ${option} -verify_return_error </dev/null`,
    );
  });

  it('names the domain to verify to an XMPP server of another name', () => {
    const target = '{"verify_name":"fjord.example"}';
    expect(line({ protocol: 'xmpp', port: 5222, target })).toContain(
      `-connect ${HOST}:5222 -servername fjord.example -starttls xmpp -xmpphost fjord.example `,
    );
    expect(line({ protocol: 'tls', port: 5223, target })).toContain(
      '-servername fjord.example -alpn xmpp-client ',
    );
    expect(line({ protocol: 'smtp', port: 25, target })).toContain(`-servername ${HOST} `);
  });

  it('connects without -starttls for plain TLS, and with -noservername for an IP address', () => {
    expect(line({ protocol: 'tls', port: 993 })).toBe(
      `openssl s_client -connect ${HOST}:993 -servername ${HOST} -verify_return_error </dev/null`,
    );
    expect(line({ code: 'expired', host: '2001:db8::1' })).toBe(
      "openssl s_client -connect '[2001:db8::1]:443' -noservername -alpn h2,http/1.1 </dev/null 2>/dev/null | openssl x509 -noout -dates",
    );
  });

  it('uses options that show what the finding is about', () => {
    expect(line({ code: 'name_mismatch' })).toContain('| openssl x509 -noout -subject -ext subjectAltName');
    expect(line({ code: 'legacy_tls', tlsVersion: 'TLSv1.1' })).toContain(
      "-tls1_1 -cipher 'DEFAULT:@SECLEVEL=0'",
    );
    expect(line({ code: 'address_left_out' })).toBe(`dig ${HOST} A; dig ${HOST} AAAA`);
    expect(line({ code: 'revoked' })).toContain('-crl_check -crl_download');
    expect(line({ code: 'intermediate_revoked' })).toContain('-crl_check_all -crl_download');
    expect(line({ code: 'staple_missing' })).toContain('-status');
    expect(line({ code: 'wrong_order' })).toContain('-showcerts');
    expect(line({ code: 'expired', keyType: 'rsa' })).toContain('-sigalgs RSA-PSS+SHA256:');
  });

  it('offers ALPN as clients of the protocol do, unless the finding is about clients that do not', () => {
    expect(line({ code: 'expired' })).toContain('-alpn h2,http/1.1');
    expect(line({ protocol: 'tls', port: 5432 })).toContain('-alpn postgresql');
    expect(line({ protocol: 'smtp', port: 587 })).not.toContain('-alpn');
    expect(line({ code: 'other_certificate_without_alpn' })).toBe(
      `openssl s_client -connect ${HOST}:443 -servername ${HOST} </dev/null 2>/dev/null | openssl x509 -noout -subject -ext subjectAltName -dates`,
    );
  });

  it('loops over the addresses if their certificates differ', () => {
    expect(line({ code: 'certificates_differ', addresses: ['192.0.2.1', '2001:db8::1'] })).toBe(
      `for ip in 192.0.2.1 '[2001:db8::1]'; do echo "$ip"; openssl s_client -connect "$ip:443" -servername ${HOST} -alpn h2,http/1.1 </dev/null 2>/dev/null | openssl x509 -noout -serial -enddate -fingerprint -sha256; done`,
    );
  });

  it('is safe to paste, whatever a host or an address contains', () => {
    const evil = `x'; touch /tmp/owned; echo $(id) "`;
    for (const code of ['incomplete_chain', 'expired', 'certificates_differ', 'revoked'] as const) {
      const bare = line({ code, host: evil, addresses: [evil, evil] })
        .replaceAll(String.raw`'\''`, '')
        .replaceAll(/'[^']*'/g, '');
      expect(bare).not.toContain('touch');
      expect(bare).not.toContain('$(id)');
    }
    expect(shellQuoted("it's")).toBe(String.raw`'it'\''s'`);
    expect(shellQuoted('')).toBe("''");
  });
});
