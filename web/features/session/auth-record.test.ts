import { beforeEach, describe, expect, it } from 'vitest';
import type { CurrentUser } from '../../lib/account/current-user.ts';
import { AUTH_RECORD_KEY, createAuthRecord } from './auth-record.ts';
import { spec } from '../../../tests/spec/spec.ts';

const alice: CurrentUser = {
  id: 'a1',
  email: 'alice@fjord.example',
  fullName: 'Alice Ångström',
  photoUrl: null,
  paddleId: '',
  companyName: 'Fjord',
  timeZone: 'Europe/Oslo',
};

function emptyStorage(): Storage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
    key: (index) => [...items.keys()][index] ?? null,
    get length() {
      return items.size;
    },
  };
}

describe('the auth record', () => {
  let storage: Storage;
  beforeEach(() => {
    storage = emptyStorage();
  });

  it('returns the stored user', async () => {
    const record = createAuthRecord(storage, crypto.subtle);
    await record.store(alice);
    expect(await record.read()).toEqual(alice);
  });

  it('is stored under its key in encrypted form', async () => {
    await createAuthRecord(storage, crypto.subtle).store(alice);
    expect(storage.getItem(AUTH_RECORD_KEY)).toMatch(/^[A-Za-z0-9+/]{16}\.[A-Za-z0-9+/]+=*$/);
  });

  it('stores only profile fields', async () => {
    const record = createAuthRecord(storage, crypto.subtle);
    await record.store({ ...alice, token: 'secret' } as CurrentUser);
    expect(await record.read()).toEqual(alice);
  });

  it('is read as null if it was never written', async () => {
    expect(await createAuthRecord(storage, crypto.subtle).read()).toBeNull();
  });

  it('cannot be decrypted after a reload, which creates a new encryption key', async () => {
    await createAuthRecord(storage, crypto.subtle).store(alice);
    await expect(createAuthRecord(storage, crypto.subtle).read()).rejects.toThrow();
  });

  it.each(['', 'x', 'abc.', '.abc', 'a.b.c'])('refuses the malformed record "%s"', async (stored) => {
    storage.setItem(AUTH_RECORD_KEY, stored);
    await expect(createAuthRecord(storage, crypto.subtle).read()).rejects.toThrow(
      'Invalid encrypted token format',
    );
    spec('8.04', '“Invalid encrypted token format”');
  });

  it('refuses a record that was tampered with', async () => {
    const record = createAuthRecord(storage, crypto.subtle);
    await record.store(alice);
    const [iv, sealed = ''] = (storage.getItem(AUTH_RECORD_KEY) ?? '').split('.');
    const flipped = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1);
    storage.setItem(AUTH_RECORD_KEY, `${iv}.${flipped}`);
    await expect(record.read()).rejects.toThrow();
  });

  it('stores nothing if WebCrypto is missing', async () => {
    const record = createAuthRecord(storage, undefined);
    await record.store(alice);
    expect(storage).toHaveLength(0);
    expect(await record.read()).toBeNull();
  });
});
