import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../../contract/constants.ts';
import { readSubscriptionToken } from './subscription-token.ts';

const now = Date.UTC(2026, 10, 20);
const inAnHour = now / 1000 + 3600;

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function sign(claims: object, { userId = 'alice', alg = 'HS256' } = {}): string {
  const unsigned = `${part({ alg, typ: 'JWT' })}.${part(claims)}`;
  const mac = createHmac('sha256', SUBSCRIPTION_SECRET_PREFIX + userId).update(unsigned);
  return `${unsigned}.${mac.digest('base64url')}`;
}

function read(token: string, { userId = 'alice', subtle }: { userId?: string; subtle?: SubtleCrypto } = {}) {
  return readSubscriptionToken(token, { userId, now, subtle: subtle ?? crypto.subtle });
}

describe('the subscription token', () => {
  it.each(['active', 'trialing', 'past_due'])('with the status "%s" means subscribed', async (status) => {
    const token = sign({ sub: 'alice', status, exp: inAnHour });
    expect(await read(token)).toEqual({ isSubscribed: true, expiresAt: inAnHour * 1000 });
  });

  it('with an empty status means not subscribed', async () => {
    expect(await read(sign({ sub: 'alice', status: '', exp: inAnHour }))).toMatchObject({
      isSubscribed: false,
    });
  });

  it.each([
    ['signed for another user', sign({ sub: 'alice', status: 'active', exp: inAnHour }, { userId: 'bob' })],
    ['naming another user', sign({ sub: 'bob', status: 'active', exp: inAnHour })],
    ['expired', sign({ sub: 'alice', status: 'active', exp: now / 1000 })],
    ['without claims', sign({})],
    ['of another algorithm', sign({ sub: 'alice', status: 'active', exp: inAnHour }, { alg: 'none' })],
    ['without a signature', sign({ sub: 'alice', status: 'active', exp: inAnHour }).replace(/[^.]+$/, '')],
    ['that is no token', 'premium please'],
  ])('%s is refused', async (_, token) => {
    await expect(read(token)).rejects.toThrow('Invalid or expired token');
  });

  it('cannot be verified without a user', async () => {
    const token = sign({ sub: '', status: 'active', exp: inAnHour });
    await expect(read(token, { userId: '' })).rejects.toThrow('Failed to fetch client secret');
  });
});
