import { createMemoryHistory } from '@tanstack/react-router';
import { expect, test, vi } from 'vitest';
import { leavePanel } from './panel-history.ts';

const dashboard = () => createMemoryHistory({ initialEntries: ['/profile', '/dashboard'] });

test('closing a panel that was opened from this page goes back one history entry', () => {
  const history = dashboard();
  history.push('/dashboard?domain=1', { panelDepth: 1 });
  const replace = vi.fn();
  leavePanel(history, replace);
  expect(history.location.href).toBe('/dashboard');
  leavePanel(history, replace);
  expect(replace).toHaveBeenCalledTimes(1);
});

test('closing a panel again while the browser goes back does nothing', () => {
  const history = dashboard();
  history.push('/dashboard?domain=1', { panelDepth: 1 });
  const back = vi.spyOn(history, 'go').mockImplementation(() => undefined);
  const replace = vi.fn();
  leavePanel(history, replace);
  leavePanel(history, replace);
  expect([back.mock.calls.length, replace.mock.calls.length]).toEqual([1, 0]);
  history.push('/elsewhere');
});

test('closing a panel that was opened by URL replaces the history entry', () => {
  const history = createMemoryHistory({ initialEntries: ['/profile', '/dashboard?domain=1'] });
  const replace = vi.fn();
  expect(leavePanel(history, replace)).toBe(false);
  expect(replace).toHaveBeenCalledTimes(1);
  expect(history.location.href).toBe('/dashboard?domain=1');
});
