import { useEffect } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { messageOf } from '../../lib/api-client.ts';
import { toast } from '../../ui/toast.tsx';
import { useDomain } from './domain-queries.ts';
import type { DomainList } from './list/use-domain-list.ts';
import { useOpenDomain } from './use-open-domain.ts';

/** The domain of the open panel: a loaded row, else read by itself. One that is no more, or not to be had, closes it. */
export function usePanelDomain(list: DomainList): DomainWire | null {
  const { openId, close } = useOpenDomain();
  const row = list.loaded.find(({ id }) => id === openId) ?? null;
  // The first page may be about to bring it.
  const isMissing = openId !== null && row === null && (list.total !== null || list.error !== null);
  const { domain, isGone, isRemoved, error } = useDomain(isMissing ? openId : null);
  const hasFailed = isMissing && (isGone || error !== null);
  useEffect(() => {
    if (!hasFailed) return;
    // Who removed it has been told so, or sees it leave the list.
    if (isGone && !isRemoved) toast.info('This domain is not in your list any more.');
    if (!isGone) toast.error(`Could not open the details: ${messageOf(error)}`);
    close();
    // The failure is told once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [hasFailed]);
  return row ?? (isMissing ? domain : null);
}
