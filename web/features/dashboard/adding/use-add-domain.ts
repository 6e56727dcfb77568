import { CancelledError } from '@tanstack/react-query';
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
import { useHostLookup } from './use-host-lookup.ts';
import type { HostLookup } from './use-host-lookup.ts';

/** Placeholder of an empty input. RFC 2606 reserves the name, so nobody owns it. */
export const EXAMPLE_HOST = 'shop.example.com';

/** Endpoints other than a plain hostname. */
export const ENDPOINT_HINT = 'host:8443 and smtp://mail.example.com work too.';

export interface AddDomainOutcome {
  onAdded: (domain: DomainWire) => void;
  /** Called to show the domain with this id, which the account has already. */
  onShow: (id: string) => void;
  /** Called when the plan allows no more domains. */
  onLimitReached: () => void;
}

/** One submission: the typed text and which use of the form it belongs to. */
interface Attempt {
  typed: string;
  use: number;
  /** The person wants a name that is not in DNS. */
  isConfirmed: boolean;
}

/** Why a host is not added: the account tracks it already, or DNS has no address for its name. */
export interface Obstacle {
  name: string;
  /** The domain that the account tracks; null if the name is not in DNS. */
  domainId: string | null;
}

function obstacleOf(found: HostLookup): Obstacle | null {
  if (found.domain_id === null && found.in_dns !== false) return null;
  return { name: found.display_name, domainId: found.domain_id };
}

const isOfTheHost = (failure: Error): boolean =>
  failure instanceof ApiError &&
  ['invalid_request', 'invalid_host', 'host_refused', 'domain_exists'].includes(failure.code ?? '');

/**
 * Holds the state of a form that adds a domain. The typed text stays until it is added. A name that is not in DNS is sent only when
 * it is submitted twice. A response after the form was closed adds its domain but does not change the form.
 */
export function useAddDomain({ onAdded, onLimitReached }: AddDomainOutcome) {
  const cache = useDomainCache();
  const [host, setHost, clearHost] = useDraft(ADD_DOMAIN_DRAFT);
  const [error, setError] = useState<string>();
  const [asked, setAsked] = useState<{ typed: string; obstacle: Obstacle }>();
  const { found, look } = useHostLookup(host);
  const use = useRef(0);
  const { mutate, reset, isPending } = useWrite({
    mutationFn: async ({ typed, isConfirmed }: Attempt) => {
      // After the confirmation there is nothing left to ask. The server refuses a host that is tracked already.
      const obstacle = isConfirmed ? null : obstacleOf(await look(typed));
      if (obstacle) return { obstacle, domain: null };
      // The form need not wait for the first check, whose result arrives as a live event.
      const headers = { prefer: 'respond-async' };
      return { obstacle: null, domain: await call(addDomain, { body: { host: typed.trim() }, headers }) };
    },
    onSuccess: ({ obstacle, domain }, attempt) => {
      if (domain === null) {
        if (attempt.use === use.current) setAsked({ typed: attempt.typed, obstacle });
        return;
      }
      setAsked(undefined);
      cache.put(domain);
      track({ name: 'user_add_domain', count: cache.count() });
      if (attempt.use !== use.current) return;
      // The user may already be typing the next host.
      if (clearHost(attempt.typed)) onAdded(domain);
    },
    onError: (failure, attempt) => {
      // The session ended during the lookup.
      if (failure instanceof CancelledError) return;
      const isLimit = failure instanceof ApiError && failure.status === 402;
      const isOpen = attempt.use === use.current;
      if (isLimit && isOpen) onLimitReached();
      else toast.error(failureText(failure));
      if (isOpen && attempt.typed === host && isOfTheHost(failure)) setError(failure.message);
    },
  });

  const leave = () => {
    use.current += 1;
    reset();
    setError(undefined);
    setAsked(undefined);
  };
  // While the person types, a name may not be complete, so say only that it is tracked already.
  const tracked = found?.domain_id == null ? null : obstacleOf(found);
  const obstacle = asked?.typed === host ? asked.obstacle : tracked;
  return {
    host,
    error,
    obstacle,
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
      if (isBlank || isPending) return;
      const isConfirmed = asked?.typed === text && asked.obstacle.domainId === null;
      mutate({ typed: text, use: use.current, isConfirmed });
    },
  };
}
