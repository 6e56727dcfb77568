import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { type ServerEvent, serverEventSchema } from '../../contract/event.ts';
import { grantPremium } from '../../server/store/accounts/accounts.ts';
import { describeEachDatabase } from '../kit/databases/database.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { type Client, signIn } from '../kit/product/people.ts';
import { answeredWith, finishChecks } from './finish-checks.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

interface Stream {
  /** Returns the next event, or null when the stream has ended. */
  next(): Promise<ServerEvent | null>;
  close(): void;
}

/** Reads the stream as a browser's EventSource does. */
async function listen(client: Client): Promise<Stream> {
  const abort = new AbortController();
  const response = await client.send('/api/events', { signal: abort.signal });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const stream: Stream = {
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end < 0) {
          const chunk = await reader?.read();
          if (chunk === undefined || chunk.done) return null;
          text += chunk.value;
          continue;
        }
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        const event = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (event === undefined) continue;
        return serverEventSchema.parse({ event, data: JSON.parse(data ?? '') });
      }
    },
    close: () => abort.abort(),
  };
  onTestFinished(() => reader?.cancel());
  return stream;
}

describeEachDatabase('The event stream', (open) => {
  it('sends every change of a domain to its owner only', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const [atAlice, atCharlie] = [await listen(alice), await listen(charlie)];
    const { data } = (await alice.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok;
    expect(await atAlice.next()).toMatchObject({ event: 'domain', data: { id: data.id, state: 'pending' } });

    const authority = mintAuthority();
    await finishChecks(api, authority, answeredWith(authority.issue({ dnsNames: ['shop.example.com'] })));
    expect(await atAlice.next()).toMatchObject({ event: 'domain', data: { id: data.id, state: 'ok' } });
    await alice.ask(CALLS.removeDomain, { params: { id: data.id } });
    expect(await atAlice.next()).toEqual({ event: 'domain_removed', data: { id: data.id } });

    const own = (await charlie.ask(CALLS.addDomain, { body: { host: 'charlie.example.com' } })).ok.data;
    expect(await atCharlie.next()).toMatchObject({ event: 'domain', data: { id: own.id } });
    promise('8.4.1');
  });

  it('sends changes of alert settings, channels and the calendar to their owner only', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const { id } = (await alice.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } })).ok.data;
    const [atAlice, atCharlie] = [await listen(alice), await listen(charlie)];
    await alice.ask(CALLS.changeDomainAlerts, { params: { id }, body: { muted: ['uptime'] } });
    expect(await atAlice.next()).toEqual({ event: 'alerts', data: { domain_id: id } });
    await alice.ask(CALLS.testChannel, { params: { key: 'email' } });
    expect(await atAlice.next()).toEqual({ event: 'alerts', data: { domain_id: null } });
    await charlie.ask(CALLS.makeCalendar);
    expect(await atCharlie.next()).toEqual({ event: 'alerts', data: { domain_id: null } });
  });

  it('sends one event for a plan change, to its account only', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const [atAlice, atCharlie] = [await listen(alice), await listen(charlie)];
    await grantPremium(api.store, alice.id, { grant: { endsAt: null }, now: api.clock.now() });
    expect(await atAlice.next()).toEqual({ event: 'account', data: {} });
    expect((await alice.ask(CALLS.premium)).ok.data).toBe(true);
    await charlie.ask(CALLS.addDomain, { body: { host: 'charlie.example.com' } });
    expect(await atCharlie.next()).toMatchObject({ event: 'domain' });
  });

  it('ends with its session, while the streams of the account’s other sessions continue', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const phone = await signIn(api.send, alice);
    const [atAlice, atPhone, atCharlie] = [await listen(alice), await listen(phone), await listen(charlie)];
    await alice.ask(CALLS.logOut);
    expect(await atAlice.next()).toEqual({ event: 'session_ended', data: {} });
    expect(await atAlice.next()).toBeNull();

    await phone.ask(CALLS.addDomain, { body: { host: 'shop.example.com' } });
    expect(await atPhone.next()).toMatchObject({ event: 'domain' });
    await phone.ask(CALLS.deleteUser);
    const last = [await atPhone.next(), await atPhone.next()];
    expect(last).toContainEqual({ event: 'session_ended', data: {} });
    await charlie.ask(CALLS.logOut);
    expect(await atCharlie.next()).toEqual({ event: 'session_ended', data: {} });
  });

  it('ends when its session expires', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const stream = await listen(charlie);
    api.clock.advance(15 * 60_000);
    expect(await stream.next()).toEqual({ event: 'session_ended', data: {} });
    expect(await stream.next()).toBeNull();
    await charlie.ask(CALLS.refreshSession);
    await listen(charlie);
  });

  it('stays open over a real socket after its session was checked', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    const server = createAdaptorServer({ fetch: (request, env) => api.fetch(request, env) });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const cookie = [...charlie.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/api/events`, { headers: { cookie } });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    onTestFinished(() => reader?.cancel());
    let text = '';
    while (text.split(': alive').length < 4) {
      const chunk = await reader?.read();
      expect(chunk?.done, text).toBe(false);
      text += chunk?.value;
    }
  });

  it('is limited to 20 open streams per account; closed ones do not count', async () => {
    const api = await startApi(open);
    const { alice, charlie } = await api.cast();
    const streams: Stream[] = [];
    for (let count = 0; count < 20; count++) streams.push(await listen(alice));
    expect((await alice.ask(CALLS.events)).problem.code).toBe('too_many_requests');
    await listen(charlie);
    await alice.ask(CALLS.logOut);
    for (const stream of streams) while ((await stream.next()) !== null);
    await listen(await signIn(api.send, alice));
  });

  it('answers HEAD requests without counting them as open streams', async () => {
    const api = await startApi(open);
    const { charlie } = await api.cast();
    for (let count = 0; count < 21; count++)
      expect((await charlie.send('/api/events', { method: 'HEAD' })).status).toBe(200);
    await listen(charlie);
  });
});
