import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

/** Which domain's panel is open, as the address has it: `/dashboard?domain=<id>`. */
export function useOpenDomain() {
  const openId = useSearch({ strict: false }).domain ?? null;
  const navigate = useNavigate();
  const isOpen = openId !== null;
  const open = useCallback(
    // Stepping from one to the next is one visit: Back leaves the panel.
    (id: string) =>
      void navigate({ to: '/dashboard', search: { domain: id }, replace: isOpen, resetScroll: false }),
    [navigate, isOpen],
  );
  const close = useCallback(
    () => void navigate({ to: '/dashboard', search: {}, replace: true, resetScroll: false }),
    [navigate],
  );
  return { openId, open, close };
}
