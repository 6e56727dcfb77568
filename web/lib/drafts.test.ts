import { describe, expect, it } from 'vitest';
import { createDrafts } from './drafts.ts';

/** The part of Storage that drafts use. Stored items are properties of the object. */
function storageOf(items: Record<string, string> = {}): Storage {
  const storage = {
    ...items,
    setItem: (name: string, text: string) => void (storage[name] = text),
    removeItem: (name: string) => void delete storage[name],
  } as Record<string, unknown>;
  return storage as unknown as Storage;
}

describe('drafts', () => {
  it('survive a reload', () => {
    const storage = storageOf();
    createDrafts(() => storage).write('alice', 'feedback', 'half a thou');
    expect(createDrafts(() => storage).read('alice', 'feedback')).toBe('half a thou');
  });

  it('are invisible to other users', () => {
    const drafts = createDrafts(() => storageOf());
    drafts.write('alice', 'feedback', 'secret');
    expect(drafts.read('bob', 'feedback')).toBe('');
    expect(drafts.read('alice', 'notes')).toBe('');
  });

  it('are removed when another user signs in, without touching other stored items', () => {
    const storage = storageOf({ authToken: 'x' });
    const drafts = createDrafts(() => storage);
    drafts.write('alice', 'feedback', 'hers');
    drafts.write('bob', 'feedback', 'his');
    drafts.forget('bob');
    expect(drafts.read('alice', 'feedback')).toBe('');
    expect(createDrafts(() => storage).read('bob', 'feedback')).toBe('his');
    drafts.forget();
    expect(createDrafts(() => storage).read('bob', 'feedback')).toBe('');
    expect(storage['authToken']).toBe('x');
  });

  it('are kept in memory until the page closes if storage is blocked', () => {
    const drafts = createDrafts(() => {
      throw new Error('denied');
    });
    drafts.write('alice', 'feedback', 'still here');
    expect(drafts.read('alice', 'feedback')).toBe('still here');
  });

  it('are kept in memory if storage is full, and the outdated stored text is removed', () => {
    const storage = storageOf();
    const drafts = createDrafts(() => storage);
    drafts.write('alice', 'notes', 'short');
    storage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    drafts.write('alice', 'notes', 'a long one');
    expect(drafts.read('alice', 'notes')).toBe('a long one');
    expect(createDrafts(() => storage).read('alice', 'notes')).toBe('');
  });

  it('notify their subscribers', () => {
    const drafts = createDrafts(() => storageOf());
    let calls = 0;
    const stop = drafts.subscribe(() => (calls += 1));
    drafts.write('alice', 'feedback', 'a');
    stop();
    drafts.write('alice', 'feedback', 'ab');
    expect(calls).toBe(1);
  });
});
