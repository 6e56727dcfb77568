import { useEffect, useMemo, useRef, useState } from 'react';
import { checkDomain } from '../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { cardElement, type DomainActions } from '../../domain/domain-actions.tsx';
import { useDomainCache } from '../../domain/domain-cache.ts';
import { call } from '../../lib/api-client.ts';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';
import type { DomainList } from './list/use-domain-list.ts';

/** Returns the actions of cards, rows, keys and panel. The object never changes, so rows do not rerender. */
export function useDomainActions(given: Omit<DomainActions, 'refresh'>): DomainActions {
  const cache = useDomainCache();
  const refresh = useWrite({
    mutationFn: ({ id }: DomainWire) => call(checkDomain, { params: { id } }),
    onSuccess: (domain) => cache.put(domain),
    onError: (error) => toast.error(failureText(error, 'Could not start the check: ')),
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

/** Asks before a domain is removed; returns the function that asks and the props of the dialog. */
export function useRemoval(list: DomainList, openId: string | null, closePanel: () => void) {
  const [asked, setAsked] = useState<DomainWire | null>(null);
  // The row that gets focus when the dialog closes: the domain's own row, or a neighbour if the domain was removed.
  const focusNext = useRef<string>(undefined);
  return {
    ask: (domain: DomainWire) => {
      focusNext.current = domain.id;
      setAsked(domain);
    },
    dialog: {
      domain: asked,
      onClose: () => setAsked(null),
      onRemove: ({ id }: DomainWire) => {
        const index = list.indexOf(id);
        focusNext.current = index < 0 ? undefined : (list.at(index + 1) ?? list.at(index - 1))?.id;
        if (id === openId) closePanel();
      },
      focusAfterClose: () => cardElement(focusNext.current),
    },
  };
}
