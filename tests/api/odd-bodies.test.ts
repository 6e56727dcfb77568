import { expect, it } from 'vitest';
import type { Call } from '../../contract/calls/call.ts';
import { CALLS } from '../../contract/calls/calls.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import { startApi } from './test-api.ts';

const FORM = 'multipart/form-data; boundary=edge';
const INVALID_UTF8 = new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]);

/** Bodies that no call accepts, with their content types. Null as the body stands for none, null as the type for no header. */
const ODD_BODIES: [type: string | null, body: string | Uint8Array<ArrayBuffer>][] = [
  ['multipart/form-data', 'x'],
  [FORM, 'not a form'],
  [FORM, '--edge\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click'],
  [FORM, ''],
  ['application/x-www-form-urlencoded', '%ff%zz=&&=='],
  ['application/json', '{"a":'],
  ['application/json', INVALID_UTF8],
  ['application/json', 'null'],
  ['application/json', '"text"'],
  ['application/json', '{"__proto__":{"email":1},"constructor":null}'],
  ['application/json', '['.repeat(30_000)],
  ['application/json; charset=utf-16', '{}'],
  ['text/plain;;', '{}'],
  ['a/b/c', INVALID_UTF8],
  [null, INVALID_UTF8],
];

/** Calls that would end the session of the test. */
const ENDING_SESSIONS = ['deleteUser', 'endAllSessions', 'logOut', 'refreshSession'];

describeAnyDatabase('A body that cannot be read', (open) => {
  it('causes no error of the server in any call, and no error in its log', async () => {
    const errors: unknown[] = [];
    const log = { info() {}, warn() {}, error: (...entry: unknown[]) => void errors.push(entry) };
    const api = await startApi(open, { log });
    const { bob } = await api.cast();
    const cookies = [...bob.cookies].map(([name, { value }]) => `${name}=${value}`).join('; ');
    const faults: unknown[] = [];
    const unsafe = Object.entries<Call>(CALLS).filter(
      ([name, { method }]) => method !== 'get' && !ENDING_SESSIONS.includes(name),
    );
    for (const [index, [name, { method, path }]] of unsafe.entries())
      for (const [type, body] of ODD_BODIES) {
        const send = api.sendFrom(`203.0.113.${index}`);
        const url = `/api${path.replaceAll(/\{\w+\}/g, crypto.randomUUID())}`;
        const headers = { cookie: cookies, ...(type !== null && { 'content-type': type }) };
        const { status } = await send(url, { method: method.toUpperCase(), headers, body });
        if (status >= 500) faults.push([name, type, status]);
      }
    expect(faults).toEqual([]);
    expect(errors).toEqual([]);
  });
});
