import { expect, it } from 'vitest';
import { fixFor } from './advice.ts';

it('shows who trusts a self-signed certificate a way that works where they are', () => {
  const selfSigned = { code: 'self_signed', severity: 'critical', attachment: null } as const;
  expect(fixFor(selfSigned, 'nas.example')).toMatch(/in your profile\. .*only if it may issue others/);
  expect(fixFor(selfSigned, 'nas.example', 'shell')).toMatch(
    /--ca FILE\. A file with the certificate itself/,
  );
});
