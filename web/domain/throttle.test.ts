import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { throttled } from './throttle.ts';

describe('a throttled function', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs once for a burst of calls', () => {
    const work = vi.fn();
    const call = throttled(work, { delayMs: 500, spacingMs: 2000 });
    for (let count = 0; count < 9; count += 1) call();
    vi.advanceTimersByTime(499);
    expect(work).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5000);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('runs at a fixed rate under constant calls', () => {
    const work = vi.fn();
    const call = throttled(work, { delayMs: 500, spacingMs: 2000 });
    for (let elapsed = 0; elapsed < 10_000; elapsed += 100) {
      call();
      vi.advanceTimersByTime(100);
    }
    expect(work).toHaveBeenCalledTimes(5);
  });

  it('runs although the clock was set back since the last run', () => {
    const work = vi.fn();
    const call = throttled(work, { delayMs: 500, spacingMs: 2000 });
    call();
    vi.advanceTimersByTime(2000);
    vi.setSystemTime(Date.now() - 400 * 86_400_000);
    call();
    vi.advanceTimersByTime(2000);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('can be cancelled', () => {
    const work = vi.fn();
    const call = throttled(work, { delayMs: 500, spacingMs: 2000 });
    call();
    call.cancel();
    vi.advanceTimersByTime(5000);
    expect(work).not.toHaveBeenCalled();
  });
});
