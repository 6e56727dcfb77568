import { CancelledError } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { addDomain, setFrequency } from '../../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { TARGET_FIELDS, TARGET_LABELS, type TargetField } from '../../../../contract/check-words.ts';
import { DEFAULT_CHECK_EVERY_MINUTES } from '../../../../contract/words.ts';
import { track } from '../../../lib/browser/analytics.ts';
import { call } from '../../../lib/api-client.ts';
import { ApiError } from '../../../lib/api-error.ts';
import { ADD_DOMAIN_DRAFT, useDraft } from '../../../lib/drafts.ts';
import { LENIENT } from '../../../lib/http.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';
import { useDomainCache } from '../../../domain/domain-cache.ts';
import { type HostLookup, type NewDomain, useHostLookup } from './use-host-lookup.ts';

/** Attributes of an input for the host. RFC 2606 reserves the name of the placeholder, so nobody owns it. */
export const HOST_INPUT = {
  name: 'host',
  placeholder: 'shop.example.com',
  inputMode: 'url',
  enterKeyHint: 'done',
} as const;

/** Examples of inputs that are not a plain hostname. */
export const ENDPOINT_HINT = 'host:8443 and smtp://mail.example.com work too.';

export interface AddDomainOutcome {
  onAdded: (domain: DomainWire) => void;
  /** Called to show the domain with this id, which the account has already. */
  onShow: (id: string) => void;
  /** Called when the plan allows no more domains. */
  onLimitReached: () => void;
}

/** The typed texts of the fields behind "More". */
export type TypedTarget = { readonly [Field in TargetField]?: string };

/** One submission: the typed text and which use of the form it belongs to. */
interface Attempt {
  typed: string;
  wanted: NewDomain;
  /** Check interval in minutes. */
  minutes: number;
  use: number;
  /** True if the person confirmed a name without a public address in DNS. */
  isConfirmed: boolean;
}

/** Why a host is not added: either the account tracks it already, or DNS has no public address for its name. */
export interface Obstacle {
  name: string;
  /** Id of the domain if the account tracks it already; null if the name has no public address in DNS. */
  domainId: string | null;
}

function obstacleOf(found: HostLookup): Obstacle | null {
  if (found.domain_id === null && found.in_dns !== false) return null;
  return { name: found.display_name, domainId: found.domain_id };
}

/** What the server refused: the host, or a field behind "More". */
interface Refused {
  field: 'host' | TargetField;
  message: string;
}

const CODES = ['invalid_request', 'invalid_host', 'host_refused', 'domain_exists'];

/**
 * Returns the field that the server refused; null if the reason is not in what was typed. The message about a field starts
 * with its label.
 */
function refusedBy(failure: Error): Refused | null {
  if (!(failure instanceof ApiError) || !CODES.includes(failure.code ?? '')) return null;
  const { message } = failure;
  const field = TARGET_FIELDS.find((each) => message.startsWith(`${TARGET_LABELS[each]}: `));
  if (field === undefined) return { field: 'host', message };
  return { field, message: message.slice(TARGET_LABELS[field].length + 2) };
}

/** Returns the body of the call, without empty fields. */
function newDomain(host: string, target: TypedTarget): NewDomain {
  const given = Object.entries(target).map(([field, text]) => [field, text.trim()]);
  return { host: host.trim(), ...Object.fromEntries(given.filter(([, text]) => text !== '')) };
}

/** Sets the check interval of an added domain. New domains have daily checks. If the change fails, a toast says why. */
async function applyInterval(added: DomainWire, minutes: number): Promise<DomainWire> {
  if (minutes === added.check_every_minutes) return added;
  try {
    return await call(setFrequency, { params: { id: added.id }, query: { check_frequency: minutes } });
  } catch (error) {
    toast.failed('Domain update failed', error);
    return added;
  }
}

const isSame = (one: NewDomain, other: NewDomain): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Holds the state of a form that adds a domain. The typed text stays until the domain is added. A name without a public address in DNS is
 * sent only when it is submitted twice. If the form is closed before the response arrives, the domain is added but the form does not change.
 */
export function useAddDomain({ onAdded, onLimitReached }: AddDomainOutcome) {
  const cache = useDomainCache();
  const [host, setHost, clearHost] = useDraft(ADD_DOMAIN_DRAFT);
  const [target, setTarget] = useState<TypedTarget>({});
  const [minutes, setMinutes] = useState<number>(DEFAULT_CHECK_EVERY_MINUTES);
  const [error, setError] = useState<Refused>();
  const [asked, setAsked] = useState<{ wanted: NewDomain; obstacle: Obstacle }>();
  const wanted = newDomain(host, target);
  const { found, look } = useHostLookup(wanted);
  const use = useRef(0);
  const { mutate, reset, isPending } = useWrite({
    mutationFn: async ({ wanted: body, minutes: interval, isConfirmed }: Attempt) => {
      // Once the person has confirmed, nothing needs to be looked up: the server refuses a host that is tracked already.
      const obstacle = isConfirmed ? null : obstacleOf(await look(body));
      if (obstacle) return { obstacle, domain: null };
      // The form need not wait for the first check, whose result arrives as a live event.
      const headers = { prefer: `respond-async, ${LENIENT}` };
      const added = await call(addDomain, { body, headers });
      return { obstacle: null, domain: await applyInterval(added, interval) };
    },
    onSuccess: ({ obstacle, domain }, attempt) => {
      if (domain === null) {
        if (attempt.use === use.current) setAsked({ wanted: attempt.wanted, obstacle });
        return;
      }
      setAsked(undefined);
      setTarget((now) => (isSame(newDomain(attempt.typed, now), attempt.wanted) ? {} : now));
      setMinutes(DEFAULT_CHECK_EVERY_MINUTES);
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
      if (isOpen && isSame(attempt.wanted, wanted)) setError(refusedBy(failure) ?? undefined);
    },
  });

  const leave = () => {
    use.current += 1;
    reset();
    setError(undefined);
    setAsked(undefined);
  };
  // While the person types, the name may be incomplete, so the only obstacle to report is that the host is tracked already.
  const tracked = found?.domain_id == null ? null : obstacleOf(found);
  const obstacle = asked !== undefined && isSame(asked.wanted, wanted) ? asked.obstacle : tracked;
  return {
    host,
    target,
    error,
    obstacle,
    minutes,
    isBusy: isPending,
    chooseMinutes: setMinutes,
    type: (text: string) => {
      setHost(text);
      setError(undefined);
    },
    typeTarget: (field: TargetField, text: string) => {
      setTarget((now) => ({ ...now, [field]: text }));
      setError(undefined);
    },
    /** Closes the form and keeps the typed text. */
    leave,
    /** Closes the form without adding. */
    clear: () => {
      leave();
      clearHost();
      setTarget({});
      setMinutes(DEFAULT_CHECK_EVERY_MINUTES);
    },
    submit: (text: string = host) => {
      const isBlank = text.trim() === '';
      setError(isBlank ? { field: 'host', message: 'Please enter a valid host address' } : undefined);
      if (isBlank || isPending) return;
      const next = newDomain(text, target);
      const isConfirmed =
        asked !== undefined && isSame(asked.wanted, next) && asked.obstacle.domainId === null;
      mutate({ typed: text, wanted: next, minutes, use: use.current, isConfirmed });
    },
  };
}
