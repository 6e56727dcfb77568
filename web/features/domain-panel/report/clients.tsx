import type { ReportWire } from '../../../../contract/domain-report.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { STATE_MARKS } from '../../../domain/state-marks.tsx';
import { PanelSection } from '../../../domain/panel-section.tsx';

/** Shows which clients accept the certificates that the last check read, without colours if that check is old because of a pause. */
export function Clients({ clients, isPaused }: Pick<ReportWire, 'clients'> & { isPaused: boolean }) {
  if (clients.length === 0) return null;
  return (
    <PanelSection title="Clients">
      <ul className="flex flex-wrap gap-x-3.5 gap-y-1.5 text-label">
        {clients.map(({ client, name, connects }) => (
          <li key={client} className="flex items-center gap-1.5">
            <Glyph
              name={connects ? 'active' : STATE_MARKS.refused.glyph}
              className={`size-[13px] [--glyph-cut:var(--surface)] ${isPaused ? 'text-fg-3' : connects ? 'text-ok-mark' : 'text-critical-mark'}`}
            />
            <span className={connects ? 'text-fg-2' : 'font-[520]'}>{name}</span>
            <span className="sr-only">{connects ? 'connects' : 'refuses'}</span>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}
