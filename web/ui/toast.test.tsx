import { toast as sonner } from 'sonner';
import { expect, it, vi } from 'vitest';
import { spec } from '../../tests/spec/spec.ts';
import { toast } from './toast.tsx';

it('toast has the types success, info, warning, error and loading', () => {
  const types = ['success', 'info', 'warning', 'error', 'loading'] as const;
  const ids = types.map((type) => toast[type]('Said'));
  const shown = sonner.getToasts();
  expect(ids.map((id) => shown.find((one) => one.id === id))).toMatchObject(types.map((type) => ({ type })));
  spec('8.27', 'Toasts are of success, info, warning, error and loading');
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => draw());
  for (const id of ids) toast.dismiss(id);
  vi.unstubAllGlobals();
});
