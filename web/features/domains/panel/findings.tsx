import type { DomainWire, FindingWire } from '../../../../contract/domain.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { Time } from '../../../ui/time.tsx';
import { PanelSection } from './panel-section.tsx';

const MARKS: Record<FindingWire['severity'], { glyph: 'critical' | 'soon' | 'ok'; colour: string }> = {
  critical: { glyph: 'critical', colour: 'text-critical-mark' },
  warning: { glyph: 'soon', colour: 'text-soon-mark' },
  note: { glyph: 'ok', colour: 'text-fg-3' },
};

/** Everything that the last check found, worst first; nothing when it found nothing. */
export function Findings({ domain }: { domain: DomainWire }) {
  const { unreachable, findings } = domain;
  if (!unreachable && findings.length === 0) return null;
  return (
    <PanelSection title="Findings">
      <ul className="grid gap-2.5 text-label">
        {unreachable && (
          <Finding severity="warning" message={unreachable.message}>
            Not reached since <Time iso={unreachable.since} withTime />
            {domain.fingerprint === null ? '' : '. What is shown below was seen before that.'}
          </Finding>
        )}
        {findings.map((finding) => (
          <Finding
            key={`${finding.code} ${finding.message}`}
            severity={finding.severity}
            message={finding.message}
          >
            {finding.addresses.length > 0 && (
              <span className="font-mono text-small">{finding.addresses.join(', ')}</span>
            )}
          </Finding>
        ))}
      </ul>
    </PanelSection>
  );
}

interface FindingProps {
  severity: FindingWire['severity'];
  message: string;
  children: React.ReactNode;
}

function Finding({ severity, message, children }: FindingProps) {
  const { glyph, colour } = MARKS[severity];
  return (
    <li className="flex gap-2">
      <Glyph name={glyph} className={`mt-[2.5px] size-[13px] [--glyph-cut:var(--surface)] ${colour}`} />
      <div className="min-w-0 [overflow-wrap:anywhere]">
        <p className={severity === 'note' ? '' : 'font-[520]'}>
          <span className="sr-only">{severity}: </span>
          {message}
        </p>
        {children && <p className="mt-0.5 text-meta text-fg-3">{children}</p>}
      </div>
    </li>
  );
}
