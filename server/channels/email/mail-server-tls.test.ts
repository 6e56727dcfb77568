import { expect, it } from 'vitest';
import { mailServerTls } from './mail-server-tls.ts';

const requiresStartTls = (address: string) => mailServerTls(new URL(address)).requiresStartTls;

it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.255.0.9', '[::1]', '[0:0:0:0:0:0:0:1]'])(
  '%s is this machine: STARTTLS is optional and the certificate is not verified',
  (host) => {
    for (const scheme of ['smtp', 'imap'])
      expect(mailServerTls(new URL(`${scheme}://user:password@${host}:2525`))).toEqual({
        secure: false,
        requiresStartTls: false,
        tls: { rejectUnauthorized: false },
      });
  },
);

it.each([
  'mail.example.com',
  'mail',
  '10.0.0.1',
  '0.0.0.0',
  '[::]',
  '[::ffff:127.0.0.1]',
  '127.1',
  '0x7f.0.0.1',
  '127.0.0.1.example.com',
  'localhost.example.com',
  'localhost.',
])('%s may be another machine: STARTTLS is required and the certificate is verified', (host) => {
  for (const scheme of ['smtp', 'imap'])
    expect(mailServerTls(new URL(`${scheme}://user:password@${host}:2525`))).toEqual({
      secure: false,
      requiresStartTls: true,
      tls: { rejectUnauthorized: true },
    });
});

it('the operator can make STARTTLS optional, but not the verification of the certificate', () => {
  expect(mailServerTls(new URL('smtp://mail.example.com:587?tls=opportunistic'))).toEqual({
    secure: false,
    requiresStartTls: false,
    tls: { rejectUnauthorized: true },
  });
  expect(requiresStartTls('imap://u:p@mail.example.com/INBOX?tls=opportunistic')).toBe(false);
  expect(requiresStartTls('imap://u:p@mail.example.com/INBOX?tls=Opportunistic')).toBe(true);
});

it('smtps:// and imaps:// start with TLS and need no STARTTLS', () => {
  for (const scheme of ['smtps', 'imaps'])
    expect(mailServerTls(new URL(`${scheme}://mail.example.com`))).toEqual({
      secure: true,
      requiresStartTls: false,
      tls: { rejectUnauthorized: true },
    });
});
