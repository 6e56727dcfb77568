import type { ReportWire } from '../../../../contract/domain-report.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { Time } from '../../../ui/time.tsx';
import { STATE_MARKS, StateMark } from '../../../domain/state-marks.tsx';
import { PanelSection } from '../../../domain/panel-section.tsx';

interface ClientsProps extends Pick<ReportWire, 'clients'> {
  domain: Pick<DomainWire, 'paused' | 'trusted'>;
}

const MARK = 'size-[13px] [--glyph-cut:var(--surface)]';

/**
 * Shows which clients accept the certificates that the last check read. A refusal has the colour of the domain's state. Has no colours if that
 * check is old because of a pause.
 */
export function Clients({ clients, domain: { paused, trusted } }: ClientsProps) {
  if (clients.length === 0) return null;
  const refusal = trusted === false ? 'untrusted' : 'refused';
  return (
    <PanelSection title="Clients">
      <ul className="flex flex-wrap gap-x-3.5 gap-y-1.5 text-label">
        {clients.map(({ client, name, connects, refuses_from: refusesFrom }) => (
          <li key={client} className="flex items-center gap-1.5">
            {connects || paused !== null ? (
              <Glyph
                name={connects ? 'active' : STATE_MARKS[refusal].glyph}
                className={`${MARK} ${paused === null ? 'text-ok-mark' : 'text-fg-3'}`}
              />
            ) : (
              <StateMark state={refusal} className={MARK} />
            )}
            <span className={connects ? 'text-fg-2' : 'font-[520]'}>{name}</span>
            <span className="sr-only">{connects ? 'connects' : 'refuses'}</span>
            {refusesFrom !== undefined && (
              <span className="text-fg-2">
                until <Time iso={refusesFrom} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}
