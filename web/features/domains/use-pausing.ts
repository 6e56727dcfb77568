import { useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { ApiError, messageOf } from '../../lib/api-client.ts';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';
import { pauseDomain, resumeDomain } from './domain-calls.ts';
import { useDomainCache } from './domain-cache.ts';

interface Resumption {
  domain: DomainWire;
  /** The one that is paused in its place. */
  insteadOf?: DomainWire;
}

/** Pauses and resumes domains; where the plan is full, `swapping` is the domain that waits for another one's place. */
export function usePausing() {
  const cache = useDomainCache();
  const [swapping, setSwapping] = useState<DomainWire | null>(null);

  const pause = useWrite({
    mutationFn: ({ id }: DomainWire) => pauseDomain(id),
    onSuccess: (domain) => cache.put(domain),
    onError: (error) => toast.error(`It could not be paused: ${messageOf(error)}`),
  });
  const resume = useWrite({
    mutationFn: ({ domain, insteadOf }: Resumption) => resumeDomain(domain.id, insteadOf?.id),
    onSuccess: (resumed, { insteadOf }) => {
      cache.put(resumed);
      if (insteadOf) cache.reread();
      setSwapping(null);
    },
    onError: (error, { domain, insteadOf }) => {
      if (error instanceof ApiError && error.status === 402 && !insteadOf) setSwapping(domain);
      else toast.error(failureText(error, 'It could not be resumed: '));
    },
  });

  return {
    pause: (domain: DomainWire) => pause.mutate(domain),
    resume: (domain: DomainWire) => resume.mutate({ domain }),
    swapping,
    isSwapping: resume.isPending && resume.variables.insteadOf !== undefined,
    swap: (domain: DomainWire, insteadOf: DomainWire) => resume.mutate({ domain, insteadOf }),
    cancelSwap: () => setSwapping(null),
  };
}
