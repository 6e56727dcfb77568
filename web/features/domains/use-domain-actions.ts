import { useEffect, useMemo, useRef } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';
import type { DomainActions } from './domain-actions.ts';
import { useDomainCache } from './domain-cache.ts';
import { requestCheck } from './domain-calls.ts';
import { useWrite } from '../../lib/use-write.ts';

/** What cards, rows, keys and the panel can do with a domain. Stays the same object: rows are not drawn anew for it. */
export function useDomainActions(given: Omit<DomainActions, 'refresh'>): DomainActions {
  const cache = useDomainCache();
  const refresh = useWrite({
    mutationFn: ({ id }: DomainWire) => requestCheck(id),
    onSuccess: (domain) => cache.put(domain),
    onError: (error) => toast.error(failureText(error, 'The check could not be started: ')),
  });
  const latest = useRef({ ...given, refresh: refresh.mutate });
  useEffect(() => {
    latest.current = { ...given, refresh: refresh.mutate };
  });
  return useMemo(
    () => ({
      refresh: (domain) => {
        if (domain.paused === null) latest.current.refresh(domain);
        else toast.info('This domain is paused. Resume it to check it.');
      },
      showDetails: (domain) => latest.current.showDetails(domain),
      pause: (domain) => latest.current.pause(domain),
      resume: (domain) => latest.current.resume(domain),
      askToRemove: (domain) => latest.current.askToRemove(domain),
    }),
    [],
  );
}
