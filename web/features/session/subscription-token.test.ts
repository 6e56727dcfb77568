import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SUBSCRIPTION_SECRET_PREFIX } from '../../../contract/words.ts';
import { fetchSubscriptionToken, readSubscriptionToken } from './subscription-token.ts';
import { spec } from '../../../tests/spec/spec.ts';

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
    spec('3.08', 'The plan is read from a signed token: status and expiry');
    spec('4A.02', 'The plan is: not subscribed, or subscribed until a date');
  });

  it('with an empty status means not subscribed', async () => {
    expect(await read(sign({ sub: 'alice', status: '', exp: inAnHour }))).toMatchObject({
      isSubscribed: false,
    });
  });

  it.each([
    ['signed for another user', sign({ sub: 'alice', status: 'active', exp: inAnHour }, { userId: 'bob' })],
    ['issued to another user', sign({ sub: 'bob', status: 'active', exp: inAnHour })],
    ['expired', sign({ sub: 'alice', status: 'active', exp: now / 1000 })],
    ['without claims', sign({})],
    ['of another algorithm', sign({ sub: 'alice', status: 'active', exp: inAnHour }, { alg: 'none' })],
    ['without a signature', sign({ sub: 'alice', status: 'active', exp: inAnHour }).replace(/[^.]+$/, '')],
    ['no token at all', 'premium please'],
  ])('is refused if it is %s', async (_, token) => {
    await expect(read(token)).rejects.toThrow('Invalid or expired token');
    spec('8.06', '“Invalid or expired token”');
    spec('7.06', 'GET /user/sub answers with a signed token that the page verifies');
  });

  it('cannot be verified without a user', async () => {
    const token = sign({ sub: '', status: 'active', exp: inAnHour });
    await expect(read(token, { userId: '' })).rejects.toThrow('Failed to fetch client secret');
    spec('8.05', '“Failed to fetch client secret”');
  });
});

describe('the expiry of the subscription token', () => {
  const DAY_MS = 86_400_000;
  const token = sign({ sub: 'alice', status: 'active', exp: inAnHour });
  /** Stubs a server whose clock shows `at`, and a browser whose clock is `ahead` ms ahead of it. */
  async function ask({ at = now, ahead = 0, headers = { Date: new Date(at).toUTCString() } as HeadersInit }) {
    vi.useFakeTimers({ now: at + ahead, toFake: ['Date'] });
    vi.stubGlobal('fetch', async () => Response.json({ data: token }, { headers }));
    const answer = await fetchSubscriptionToken(AbortSignal.timeout(5_000));
    return readSubscriptionToken(answer.token, { userId: 'alice', now: answer.now, subtle: crypto.subtle });
  }
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it.each([2 * DAY_MS, 0, -2 * DAY_MS])(
    'is judged by the server’s clock if the browser’s clock is %i ms ahead',
    async (ahead) => {
      expect(await ask({ ahead })).toMatchObject({ isSubscribed: true });
      await expect(ask({ at: now + DAY_MS, ahead })).rejects.toThrow('Invalid or expired token');
    },
  );

  it('is judged by the browser’s clock if the response has no date', async () => {
    expect(await ask({ headers: {} })).toMatchObject({ isSubscribed: true });
    await expect(ask({ headers: {}, ahead: DAY_MS })).rejects.toThrow('Invalid or expired token');
  });
});
