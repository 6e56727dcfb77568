import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { domainUptime } from '../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../contract/domain.ts';
import { STRIP_CHECKS, type UptimeWire } from '../../../contract/uptime.ts';
import { call } from '../../lib/api-client.ts';
import { longDateTime } from '../../lib/format.ts';
import { TICK_PITCH } from '../../ui/certificate/uptime-strip-geometry.ts';
import { ValueOverlay } from './value-overlay.tsx';
import { checkWords } from './uptime-words.ts';

const LAST = STRIP_CHECKS - 1;
const STATES: Record<string, string> = { u: 'Up', d: 'Failed' };

/** Reads a domain's uptime, again after each check; shows the previous data meanwhile. */
export function useUptime({ id, last_checked_at: checkedAt }: DomainWire, isWanted = true) {
  return useQuery({
    queryKey: ['domains', 'uptime', id, checkedAt],
    queryFn: ({ signal }) => call(domainUptime, { params: { id }, failureText: 'Failed to get me.', signal }),
    placeholderData: (former, query) => (query?.queryKey[2] === id ? former : undefined),
    enabled: isWanted,
  });
}

interface CheckStripOverlayProps {
  label: string;
  /** As on the strip: oldest first, one letter each. */
  letters: string;
  /** The same checks with their times; absent until they are loaded. */
  checks: UptimeWire['checks'] | undefined;
  onBegin?: () => void;
  onMouseClick?: () => void;
}

/** Covers a strip of the last 90 checks and shows each check with its time and result. */
export function CheckStripOverlay({ label, letters, checks, ...handlers }: CheckStripOverlayProps) {
  if (letters === '') return null;
  return (
    <ValueOverlay
      {...handlers}
      label={label}
      first={STRIP_CHECKS - letters.length}
      last={LAST}
      fromRight={(index) => (LAST - index) * TICK_PITCH + 1}
      read={(index) => {
        const check = checks?.at(index - STRIP_CHECKS);
        if (check) return { value: checkWords(check), time: longDateTime(check.at) };
        const letter = letters.at(index - STRIP_CHECKS);
        return letter === undefined ? undefined : { value: STATES[letter] ?? 'Unknown' };
      }}
    />
  );
}

interface CardCheckOverlayProps {
  domain: DomainWire;
  onOpen: (domain: DomainWire) => void;
}

/** Covers the strip of a card. The times of its checks are loaded when somebody begins to read them. */
export function CardCheckOverlay({ domain, onOpen }: CardCheckOverlayProps) {
  const [isWanted, setWanted] = useState(false);
  const { data } = useUptime(domain, isWanted);
  return (
    <CheckStripOverlay
      label={`Last checks of ${domain.display_name}`}
      letters={domain.uptime.checks}
      checks={data?.checks}
      onBegin={() => setWanted(true)}
      onMouseClick={() => onOpen(domain)}
    />
  );
}
