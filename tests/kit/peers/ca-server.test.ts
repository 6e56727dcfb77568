import { afterAll, describe, expect, it } from 'vitest';
import { startCaServer } from './ca-server.ts';

const server = await startCaServer();
afterAll(() => server.stop());

describe('The fake CA server', () => {
  it('serves a CRL until it is replaced, and answers 304 while it is unchanged', async () => {
    const url = server.crl('/1.crl', Buffer.from('first'));
    const first = await fetch(url);
    expect(await first.text()).toBe('first');
    const again = { headers: { 'if-none-match': first.headers.get('etag') ?? '' } };
    expect((await fetch(url, again)).status).toBe(304);
    server.crl('/1.crl', Buffer.from('second'));
    expect(await (await fetch(url, again)).text()).toBe('second');
    expect(server.requestsTo('/1.crl').map(({ status }) => status)).toEqual([200, 304, 200]);
  });

  it('answers OCSP requests with the bytes that a test computes from the request', async () => {
    const url = server.ocsp('/ocsp', (request) => Buffer.from(request.toString().toUpperCase()));
    const answer = await fetch(url, { method: 'POST', body: 'abc' });
    expect(answer.headers.get('content-type')).toBe('application/ocsp-response');
    expect(await answer.text()).toBe('ABC');
  });

  it('delays an answer until a test releases it', async () => {
    const release = server.hold('/held.cer');
    const asked = fetch(server.issuer('/held.cer', Buffer.from('late')));
    await expect.poll(() => server.requestsTo('/held.cer').length).toBe(1);
    release();
    expect(await (await asked).text()).toBe('late');
  });

  it.each(['cut', 'endless-headers', 'reset'] as const)(
    'breaks the response with the fault %s',
    async (fault) => {
      await expect(fetch(server.fault('/x', fault)).then((response) => response.text())).rejects.toThrow();
    },
  );

  it('sends a gzip body that unpacks to 64 MiB', async () => {
    const answer = await fetch(server.fault('/bomb', 'gzip-bomb'));
    expect((await answer.arrayBuffer()).byteLength).toBe(64 * 1024 * 1024);
  });

  it.each(['drip', 'endless', 'lying-length', 'silent'] as const)(
    'never completes the response with the fault %s',
    async (fault) => {
      const signal = AbortSignal.timeout(150);
      const asked = fetch(server.fault('/y', fault), { signal }).then((response) => response.text());
      await expect(asked).rejects.toThrow();
    },
  );
});
