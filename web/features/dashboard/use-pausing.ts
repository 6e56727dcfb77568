import { useState } from 'react';
import type { DomainWire } from '../../../contract/domain.ts';
import { pauseDomain, resumeDomain } from '../../../contract/calls/domain.ts';
import { call } from '../../lib/api-client.ts';
import { ApiError } from '../../lib/api-error.ts';
import { useWrite } from '../../lib/use-write.ts';
import { toast } from '../../ui/toast.tsx';
import { failureText } from '../../ui/verify-address.tsx';
import { useDomainCache } from '../../domain/domain-cache.ts';

interface Resumption {
  domain: DomainWire;
  /** The domain to pause, so that the other one can be resumed. */
  insteadOf?: DomainWire;
}

/** Pauses and resumes domains. If the plan is full, `dialog` asks which one to pause instead. */
export function usePausing() {
  const cache = useDomainCache();
  const [swapping, setSwapping] = useState<DomainWire | null>(null);

  const pause = useWrite({
    mutationFn: ({ id }: DomainWire) => call(pauseDomain, { params: { id } }),
    onSuccess: (domain) => cache.put(domain),
    onError: (error) => toast.failed('Could not pause the domain', error),
  });
  const resume = useWrite({
    mutationFn: ({ domain: { id }, insteadOf }: Resumption) =>
      call(resumeDomain, { params: { id }, body: { instead_of: insteadOf?.id } }),
    onSuccess: (resumed, { insteadOf }) => {
      cache.put(resumed);
      if (insteadOf) cache.reread();
      setSwapping(null);
    },
    onError: (error, { domain, insteadOf }) => {
      if (error instanceof ApiError && error.status === 402 && !insteadOf) setSwapping(domain);
      else toast.error(failureText(error, 'Could not resume the domain: '));
    },
  });

  return {
    pause: (domain: DomainWire) => pause.mutate(domain),
    resume: (domain: DomainWire) => resume.mutate({ domain }),
    dialog: {
      domain: swapping,
      isBusy: resume.isPending && resume.variables.insteadOf !== undefined,
      onSwap: (domain: DomainWire, insteadOf: DomainWire) => resume.mutate({ domain, insteadOf }),
      onClose: () => setSwapping(null),
    },
  };
}
