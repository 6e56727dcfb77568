import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SignInCancelled } from '../../../lib/account/identity.ts';
import { broadcastSignIn, signInByPopup } from './popup.ts';

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

/** Resolves when the popup has been redirected to a URL. */
const led = () => expect.poll(() => popup.location.href).not.toBe('');

describe('a sign-in window', () => {
  it('opens before its URL is known, and ends with the message of /signed-in', async () => {
    let opened = false;
    const signedIn = signInByPopup(async () => {
      opened = open.mock.calls.length > 0;
      return address();
    }, {});
    await led();
    expect(opened).toBe(true);
    expect(popup.location.href).toBe('https://accounts.example/authorize');
    broadcastSignIn({ type: 'done' });
    await signedIn;
  });

  it('reports a blocked window', async () => {
    open.mockReturnValue(null);
    await expect(signInByPopup(address, {})).rejects.toThrow('The browser blocked the sign-in window.');
  });

  it.each([
    ['email_missing', /share an email address/],
    ['<script>', 'The sign-in failed. Try again.'],
    ['toString', 'The sign-in failed. Try again.'],
    ['cancelled', SignInCancelled],
  ])('maps the failure "%s" to a known error', async (failure, expected) => {
    const signedIn = signInByPopup(address, {});
    await led();
    broadcastSignIn({ type: 'failed', failure });
    await expect(signedIn).rejects.toThrow(expected);
  });

  it('closes if its URL cannot be loaded', async () => {
    const signedIn = signInByPopup(() => Promise.reject(new Error('The service does not answer')), {});
    await expect(signedIn).rejects.toThrow('The service does not answer');
    expect(popup.close).toHaveBeenCalledOnce();
  });

  it('may report a sign-in even after the window seemed to be closed', async () => {
    const onClosed = vi.fn();
    const signedIn = signInByPopup(address, { onClosed });
    await led();
    popup.closed = true;
    await expect.poll(() => onClosed).toHaveBeenCalledOnce();
    broadcastSignIn({ type: 'done' });
    await signedIn;
  });

  it('is superseded by a later sign-in window', async () => {
    const first = signInByPopup(address, {});
    await led();
    const second = signInByPopup(address, {});
    await expect(first).rejects.toThrow(SignInCancelled);
    broadcastSignIn({ type: 'done' });
    await second;
  });

  it('is abandoned when the page is left', async () => {
    const page = new AbortController();
    const signedIn = signInByPopup(address, { signal: page.signal });
    await led();
    page.abort();
    await expect(signedIn).rejects.toThrow(SignInCancelled);
  });
});
