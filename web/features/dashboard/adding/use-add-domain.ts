import { useRef, useState } from 'react';
import { addDomain } from '../../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { track } from '../../../lib/browser/analytics.ts';
import { ApiError, call } from '../../../lib/api-client.ts';
import { ADD_DOMAIN_DRAFT, useDraft } from '../../../lib/drafts.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';
import { useDomainCache } from '../../../domain/domain-cache.ts';

/** Placeholder of an empty input. RFC 2606 reserves the name, so nobody owns it. */
export const EXAMPLE_HOST = 'shop.example.com';

/** Endpoints other than a plain hostname. */
export const ENDPOINT_HINT = 'host:8443 and smtp://mail.example.com work too.';

export interface AddDomainOutcome {
  onAdded: (domain: DomainWire) => void;
  /** Called when the plan allows no more domains. */
  onLimitReached: () => void;
}

/** One submission: the typed text and which use of the form it belongs to. */
interface Attempt {
  typed: string;
  use: number;
}

/**
 * Holds the state of a form that adds a domain. The typed text stays until it is added. A response that arrives after the form was
 * closed or reopened adds its domain but does not change the form.
 */
export function useAddDomain({ onAdded, onLimitReached }: AddDomainOutcome) {
  const cache = useDomainCache();
  const [host, setHost, clearHost] = useDraft(ADD_DOMAIN_DRAFT);
  const [error, setError] = useState<string>();
  const use = useRef(0);
  const { mutate, reset, isPending } = useWrite({
    // The form need not wait for the first check, whose result arrives as a live event.
    mutationFn: ({ typed }: Attempt) =>
      call(addDomain, { body: { host: typed.trim() }, headers: { prefer: 'respond-async' } }),
    onSuccess: (domain, attempt) => {
      cache.put(domain);
      track({ name: 'user_add_domain', count: cache.count() });
      if (attempt.use !== use.current) return;
      // The user may already be typing the next host.
      if (clearHost(attempt.typed)) onAdded(domain);
    },
    onError: (failure, attempt) => {
      const isLimit = failure instanceof ApiError && failure.status === 402;
      if (isLimit && attempt.use === use.current) onLimitReached();
      else toast.error(failureText(failure));
    },
  });

  const leave = () => {
    use.current += 1;
    reset();
    setError(undefined);
  };
  return {
    host,
    error,
    isBusy: isPending,
    type: (text: string) => {
      setHost(text);
      setError(undefined);
    },
    /** Closes the form and keeps the typed text. */
    leave,
    /** Closes the form without adding. */
    clear: () => {
      leave();
      clearHost();
    },
    submit: (text: string = host) => {
      const isBlank = text.trim() === '';
      setError(isBlank ? 'Please enter a valid host address' : undefined);
      if (!isBlank && !isPending) mutate({ typed: text, use: use.current });
    },
  };
}
