import { expect, it } from 'vitest';
import { fixFor } from './advice.ts';

it('fixFor says how to trust a self-signed certificate, on the site and in the shell', () => {
  const selfSigned = { code: 'self_signed', severity: 'critical', attachment: null } as const;
  expect(fixFor(selfSigned, 'nas.example')).toMatch(/in your profile\. .*only if it is a CA/);
  expect(fixFor(selfSigned, 'nas.example', 'shell')).toMatch(
    /--ca FILE\. You can also pass the certificate itself/,
  );
});
