import type { ReactNode } from 'react';
import { toast as sonner } from 'sonner';

/** Says something in the corner for four seconds. An error interrupts a screen reader, the rest waits its turn. */
export const toast = {
  success: (message: ReactNode) => sonner.success(message),
  info: (message: ReactNode) => sonner.info(message),
  warning: (message: ReactNode) => sonner.warning(message),
  /** With an `id` it takes the place of the one before with that id. */
  error: (message: ReactNode, options?: { id: string }) =>
    sonner.error(<span role="alert">{message}</span>, options),
  /** Stays until it is dismissed by the id that this returns. */
  loading: (message: ReactNode) => sonner.loading(message),
  dismiss: (id: string | number) => sonner.dismiss(id),
};
