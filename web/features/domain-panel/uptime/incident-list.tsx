import { useState } from 'react';
import type { UptimeWire } from '../../../../contract/uptime.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { incidentWords } from '../../../domain/uptime/uptime-words.ts';
import { serverText } from '../../../ui/visible-text.ts';

const FIRST = 3;

/** Lists past outages, newest first, with duration and cause. */
export function IncidentList({ incidents, now }: { incidents: UptimeWire['incidents']; now: number }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? incidents : incidents.slice(0, FIRST);
  return (
    <>
      <ul className="grid gap-2.5">
        {shown.map((incident) => {
          const { when, duration } = incidentWords(incident, now);
          const isLasting = incident.ended_at === null;
          return (
            <li
              key={incident.id}
              className={classNames('border-l-2 pl-3', isLasting ? 'border-critical-mark' : 'border-line-2')}
            >
              <p className="num flex flex-wrap justify-between gap-x-3 text-label">
                <span className={isLasting ? 'font-[560] text-critical-fg' : 'font-[520]'}>{when}</span>
                <span className="text-fg-3">{duration}</span>
              </p>
              <p className="text-meta [overflow-wrap:anywhere] text-fg-2">{serverText(incident.message)}</p>
            </li>
          );
        })}
      </ul>
      {incidents.length > shown.length && (
        <Button variant="ghost" size="small" className="mt-2 -ml-3" onClick={() => setIsWhole(true)}>
          +{incidents.length - shown.length} more
        </Button>
      )}
    </>
  );
}
