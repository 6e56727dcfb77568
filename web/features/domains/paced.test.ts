import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { paced } from './paced.ts';

describe('paced work', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is done once for a burst', () => {
    const work = vi.fn();
    const call = paced(work, { delayMs: 500, spacingMs: 2000 });
    for (let count = 0; count < 9; count += 1) call();
    vi.advanceTimersByTime(499);
    expect(work).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('is done at a steady pace while the calls do not end', () => {
    const work = vi.fn();
    const call = paced(work, { delayMs: 500, spacingMs: 2000 });
    for (let elapsed = 0; elapsed < 10_000; elapsed += 100) {
      call();
      vi.advanceTimersByTime(100);
    }
    expect(work).toHaveBeenCalledTimes(5);
  });

  it('can be called off', () => {
    const work = vi.fn();
    const call = paced(work, { delayMs: 500, spacingMs: 2000 });
    call();
    call.cancel();
    vi.advanceTimersByTime(5000);
    expect(work).not.toHaveBeenCalled();
  });
});
