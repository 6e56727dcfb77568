import { toast as sonner } from 'sonner';
import { expect, it } from 'vitest';
import { spec } from '../../tests/spec/spec.ts';
import { setToastLibrary, toast } from './toast.tsx';

it('toast offers success, info, warning, error and loading, and calls wait until its library has loaded', async () => {
  const types = ['success', 'info', 'warning', 'error', 'loading'] as const;
  for (const type of types) toast[type]('Said');
  expect(sonner.getToasts()).toEqual([]);
  setToastLibrary(sonner);
  await expect
    .poll(() => sonner.getToasts().map((shown) => ('type' in shown ? shown.type : null)))
    .toEqual(types);
  spec('8.27', 'Toasts are of success, info, warning, error and loading');
});
