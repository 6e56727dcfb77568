import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SignInCancelled } from '../../../lib/identity.ts';
import { announceSignIn, signInByPopup } from './popup.ts';

const popup = { closed: false, location: { href: '' }, close: vi.fn() };
const open = vi.fn<() => typeof popup | null>();
const address = async () => 'https://accounts.example/authorize';

beforeEach(() => {
  vi.stubGlobal('window', { open });
  open.mockReturnValue(popup);
  popup.closed = false;
  popup.location.href = '';
  popup.close.mockClear();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** Settled once the popup was led away. */
const led = () => vi.waitFor(() => expect(popup.location.href).not.toBe(''));

describe('a sign-in window', () => {
  it('opens before its address is known, and is done when it says so', async () => {
    let opened = false;
    const signedIn = signInByPopup(async () => {
      opened = open.mock.calls.length > 0;
      return address();
    }, {});
    await led();
    expect(opened).toBe(true);
    expect(popup.location.href).toBe('https://accounts.example/authorize');
    announceSignIn({ type: 'done' });
    await signedIn;
  });

  it('that the browser blocks is said to be blocked', async () => {
    open.mockReturnValue(null);
    await expect(signInByPopup(address, {})).rejects.toThrow('The browser blocked the sign-in window.');
  });

  it.each([
    ['email_missing', /without an email address/],
    ['<script>', 'The sign-in did not work. Please try again.'],
    ['toString', 'The sign-in did not work. Please try again.'],
    ['cancelled', SignInCancelled],
  ])('that failed with "%s" says so in known words only', async (failure, expected) => {
    const signedIn = signInByPopup(address, {});
    await led();
    announceSignIn({ type: 'failed', failure });
    await expect(signedIn).rejects.toThrow(expected);
  });

  it('closes where its address cannot be had', async () => {
    const signedIn = signInByPopup(() => Promise.reject(new Error('The service does not answer')), {});
    await expect(signedIn).rejects.toThrow('The service does not answer');
    expect(popup.close).toHaveBeenCalledOnce();
  });

  it('that looks closed may still answer', async () => {
    const onClosed = vi.fn();
    const signedIn = signInByPopup(address, { onClosed });
    await led();
    popup.closed = true;
    await vi.waitFor(() => expect(onClosed).toHaveBeenCalledOnce());
    announceSignIn({ type: 'done' });
    await signedIn;
  });

  it('gives way to a later one, in whatever tab', async () => {
    const first = signInByPopup(address, {});
    await led();
    const second = signInByPopup(address, {});
    await expect(first).rejects.toThrow(SignInCancelled);
    announceSignIn({ type: 'done' });
    await second;
  });

  it('is not waited for any longer once its page was left', async () => {
    const page = new AbortController();
    const signedIn = signInByPopup(address, { signal: page.signal });
    await led();
    page.abort();
    await expect(signedIn).rejects.toThrow(SignInCancelled);
  });
});
