import { expect, it } from 'vitest';
import { hostToWatch } from './host-to-watch.ts';

it.each([
  ['mail.example.com', 'mail.example.com', 443, 'mail.example.com'],
  ['https://mail.example.com/inbox?x=1', 'mail.example.com', 443, 'mail.example.com'],
  ['http://mail.example.com:8443', 'mail.example.com:8443', 8443, 'mail.example.com:8443'],
  ['https://mail.example.com:2525', 'mail.example.com:2525', 2525, 'https://mail.example.com:2525'],
  [' SMTP://mail.example.com:2525 ', 'mail.example.com:2525', 2525, 'smtp://mail.example.com:2525'],
  ['smtp://user@mail.example.com', 'mail.example.com:25', 25, 'smtp://mail.example.com:25'],
  ['imap://mail.example.com:443', 'mail.example.com', 443, 'imap://mail.example.com:443'],
  ['imaps://[2001:db8::1]', '[2001:db8::1]:993', 993, 'imaps://[2001:db8::1]:993'],
])('hostToWatch for “%s”, checked as %s on port %i, returns %s', (typed, name, port, host) =>
  expect(hostToWatch(typed, { display_name: name, port })).toBe(host),
);
