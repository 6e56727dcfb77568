import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDnsServer } from '../kit/peers/dns-server.ts';
import { promise } from '../security/promise.ts';
import { ADDRESS, records, useDnsServer } from './dns-rig.ts';

const rig = useDnsServer();
const { set, readerOf } = rig;

describe('The transport of the reader of DNS', () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ tag: 'issue', value: `ca${index}.example` }));

  it('asks by TCP after a truncated or unreadable response', async () => {
    set({ 'many.example': { caa: many }, 'odd.example': { addresses: [ADDRESS] } });
    const seen: string[] = [];
    rig.server().onReply = (reply, transport, query) => {
      if (query.includes('many') || query.includes('odd')) seen.push(transport);
      return query.includes('odd') && transport === 'udp' ? [reply.subarray(0, -3)] : [reply];
    };
    const { ask } = readerOf();
    expect(await ask('many.example', 'CAA')).toMatchObject({ records: { length: 60 } });
    expect(await ask('odd.example', 'A')).toEqual(records([ADDRESS]));
    expect(seen).toEqual(['udp', 'tcp', 'udp', 'tcp']);
  });

  it('reads at most 16 kB', async () => {
    const caa = Array.from({ length: 100 }, (_, index) => ({ tag: 'issue', value: `${index}`.repeat(80) }));
    set({ 'huge.example': { caa } });
    expect(await readerOf().ask('huge.example', 'CAA')).toEqual({ outcome: 'no_answer', why: 'malformed' });
  });

  it('gives up on a server whose responses by TCP are unreadable too', async () => {
    set({ 'odd.example': { addresses: [ADDRESS] } });
    rig.server().onReply = (reply) => [reply.subarray(0, -3)];
    expect(await readerOf().ask('odd.example', 'A')).toEqual({ outcome: 'no_answer', why: 'malformed' });
  });

  it('ignores responses with another id or question, and queries, and waits for the right one', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    rig.server().onReply = (reply, _transport, query) => {
      const [otherId, otherName, noResponse] = Array.from({ length: 3 }, () =>
        Buffer.from(
          reply.toString('latin1').replace('\u00c0\u0000\u0002\u0001', '\u0001\u0001\u0001\u0001'),
          'latin1',
        ),
      );
      otherId?.writeUInt16BE(query.readUInt16BE(0) ^ 1);
      otherName?.write('x', 13);
      noResponse?.writeUInt8(0, 2);
      return [otherId, otherName, noResponse, reply].filter((message) => message !== undefined);
    };
    expect(await readerOf().ask('site.example', 'A')).toEqual(records([ADDRESS]));
    promise('forged-dns');
  });

  it('ignores responses from another address, and uses a new port and id for each question', async () => {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const;
    const [own, other] = sockets;
    onTestFinished(() => sockets.forEach((socket) => socket.close()));
    const clients = new Set<string>();
    own.on('message', (query, { port }) => {
      clients.add(`${port} ${query.readUInt16BE(0)}`);
      const refusal = Buffer.concat([query.subarray(0, 2), Buffer.from([0x81, 0x85]), query.subarray(4)]);
      const noName = Buffer.from(refusal);
      noName[3] = 0x83;
      other.send(refusal, port, '127.0.0.1', () => own.send(noName, port));
    });
    for (const socket of sockets) {
      socket.bind(0, '127.0.0.1');
      await once(socket, 'listening');
    }
    const { ask } = readerOf({ servers: [`127.0.0.1:${own.address().port}`], triesMs: [60_000] });
    for (const name of ['a.example', 'b.example', 'c.example'])
      expect(await ask(name, 'A')).toMatchObject({ why: 'resolver' });
    expect(clients.size).toBeGreaterThanOrEqual(3);
    promise('forged-dns');
  });

  it.each(['refused', 'servfail', 'silent'] as const)(
    'asks the next server if the first is %s',
    async (answer) => {
      const second = await startDnsServer({ 'site.example': { addresses: [ADDRESS] } });
      onTestFinished(() => second.stop());
      set({ 'site.example': { answer } });
      const { ask } = readerOf({ servers: [rig.server().address, second.address], triesMs: [1_000, 5_000] });
      expect(await ask('site.example', 'A')).toEqual(records([ADDRESS]));
    },
  );

  it('asks again if a response was lost', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    let lost = 0;
    rig.server().onReply = (reply) => (lost++ === 0 ? [] : [reply]);
    expect(await readerOf({ triesMs: [50, 60_000] }).ask('site.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('treats a closed port like a server that does not respond', async () => {
    const gone = await startDnsServer();
    await gone.stop();
    const { ask } = readerOf({ servers: [gone.address] });
    expect(await ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'timeout' });
  });

  it('asks without EDNS if the server does not know it', async () => {
    set({ 'site.example': { addresses: [ADDRESS] } });
    rig.server().onReply = (reply, _transport, query) => {
      if (query.readUInt16BE(10) > 0) reply.writeUInt8((reply.readUInt8(3) & 0xf0) | 1, 3);
      return [reply];
    };
    expect(await readerOf().ask('site.example', 'A')).toEqual(records([ADDRESS]));
  });

  it('does not treat a referral as the absence of a record', async () => {
    set({ 'site.example': {} });
    rig.server().onReply = (reply) => {
      reply.writeUInt8(reply.readUInt8(3) & 0x7f, 3);
      return [reply];
    };
    expect(await readerOf().ask('site.example', 'A')).toEqual({ outcome: 'no_answer', why: 'refused' });
  });
});
