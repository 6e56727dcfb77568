import { describe, expect, it } from 'vitest';
import { returnAddress } from './return-address.ts';

describe('the address that a login leads back to', () => {
  it.each(['/dashboard', '/dashboard?domain=7&status=soon', '/profile', '/status-page'])(
    'is %s as it was',
    (address) => expect(returnAddress(address)).toBe(address),
  );

  it.each([
    'https://evil.example/dashboard',
    '//evil.example/dashboard',
    '/\\evil.example/dashboard',
    'javascript:alert(1)',
    '/api/auth/logout',
    '/login?next=/login',
    '/dashboard/../api/user/export',
    '',
    7,
    undefined,
  ])('is never %s', (address) => expect(returnAddress(address)).toBeUndefined());
});
