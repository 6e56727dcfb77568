import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMailbox } from '../../server/channels/email/bounce-mailbox.ts';
import { type ImapServer, startImapServer } from '../kit/peers/imap-server.ts';

let server: ImapServer;
beforeEach(async () => {
  server = await startImapServer();
});
afterEach(() => server.stop());
const never = new AbortController().signal;

it('the reader of the bounce mailbox deletes the mails that were handled, and marks all others as read', async () => {
  for (const subject of ['one', 'two', 'three']) server.append(`Subject: ${subject}\n\nbody of ${subject}\n`);
  const seen: string[] = [];
  const taken = await readMailbox(
    server.url,
    (raw) => {
      seen.push(raw.toString());
      return Promise.resolve(raw.includes('two') ? 'left' : 'done');
    },
    never,
  );
  expect(taken).toBe(2);
  expect(seen.map((raw) => /Subject: (\w+)/.exec(raw)?.[1])).toEqual(['one', 'two', 'three']);
  expect(seen[0]).toContain('body of one');
  expect(server.mails()).toEqual([{ uid: 2, flags: ['\\Seen'] }]);
  expect(await readMailbox(server.url, () => Promise.reject(new Error('nothing is left')), never)).toBe(0);
});

it('the reader of the bounce mailbox returns a mail again if handling it failed', async () => {
  server.append('Subject: one\n\n');
  const failing = readMailbox(server.url, () => Promise.reject(new Error('no database')), never);
  await expect(failing).rejects.toThrow('no database');
  expect(server.mails()).toEqual([{ uid: 1, flags: [] }]);
  expect(await readMailbox(server.url, () => Promise.resolve('done'), never)).toBe(1);
});

it.each(['LOGIN', 'SELECT', 'UID SEARCH', 'UID FETCH', 'UID STORE', 'UID EXPUNGE'])(
  'the reader of the bounce mailbox handles every mail at the next read if the connection breaks at %s',
  async (command) => {
    server.append('Subject: one\n\n');
    server.breakAt(command);
    await expect(readMailbox(server.url, () => Promise.resolve('done'), never)).rejects.toThrow(Error);
    await readMailbox(server.url, () => Promise.resolve('done'), never);
    expect(server.mails().filter(({ flags }) => !flags.includes('\\Deleted'))).toEqual([]);
  },
);

it('the reader of the bounce mailbox fails if the password is wrong or the caller aborts', async () => {
  const wrong = server.url.replace(/:[^:@]+@/, ':wrong@');
  await expect(readMailbox(wrong, () => Promise.resolve('done'), never)).rejects.toThrow(Error);
  await expect(readMailbox(server.url, () => Promise.resolve('done'), AbortSignal.abort())).rejects.toThrow(
    Error,
  );
});
