import { expect, it } from 'vitest';
import { findingFix } from './describe-finding.ts';

it('findingFix says how to trust a self-signed certificate, on the site and in the shell', () => {
  const selfSigned = {
    code: 'self_signed',
    severity: 'critical',
    attachment: null,
    facts: { kind: 'no_path' },
  } as const;
  expect(findingFix(selfSigned, 'nas.example')).toMatch(/in your profile\. .*only if it is a CA/);
  expect(findingFix(selfSigned, 'nas.example', 'shell')).toMatch(
    /--ca FILE\. You can also pass the certificate itself/,
  );
});
