import { describe, expect, it } from 'vitest';
import { createSemaphore } from '../../server/egress/with-timeout.ts';

describe('createSemaphore', () => {
  it('runs at most the given number of tasks at a time, in the order of the calls', async () => {
    const withSlot = createSemaphore(2);
    const started: number[] = [];
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const tasks = gates.map((gate, index) =>
      withSlot(async () => {
        started.push(index);
        await gate.promise;
      }),
    );
    expect(started).toEqual([0, 1]);
    gates[1]?.resolve();
    await tasks[1];
    await expect.poll(() => started).toEqual([0, 1, 2]);
    const late = withSlot(async () => started.push(4));
    expect(started).toEqual([0, 1, 2]);
    for (const gate of gates) gate.resolve();
    await Promise.all([...tasks, late]);
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  it('releases the permit of a task that fails', async () => {
    const withSlot = createSemaphore(1);
    await expect(withSlot(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withSlot(() => Promise.resolve('yes'))).toBe('yes');
  });
});
