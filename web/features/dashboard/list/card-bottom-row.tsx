import type { DomainWire } from '../../../../contract/domain.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { lazyOnMove } from '../../../ui/lazy.tsx';
import { Spinner } from '../../../ui/loading.tsx';
import { UptimeStrip } from '../../../ui/certificate/uptime-strip.tsx';
import { pausedLine } from '../../../domain/domain-lines.ts';
import { uptimeText } from './down-line.ts';

const ROW = 'mt-auto flex min-h-[43px] items-center gap-3 border-t border-line px-[18px] text-meta text-fg-3';

const CheckOverlay = lazyOnMove(
  async () => (await import('../../../domain/uptime/check-overlay.tsx')).CardCheckOverlay,
);

interface CardBottomRowProps {
  domain: DomainWire;
  /** Opens the panel. */
  onOpen: (domain: DomainWire) => void;
}

/** Shows the last checks and the uptime or, for a paused domain, that it is paused. */
export function CardBottomRow({ domain, onOpen }: CardBottomRowProps) {
  const { limits } = usePublicConfig();
  const { paused, checking, fingerprint, uptime } = domain;
  if (paused !== null)
    return (
      <div className={ROW}>
        <span className="flex min-w-0 items-center gap-1.5 font-[520] text-fg-2">
          <Glyph name="paused" className="size-[13px]" />
          <span className="truncate">{pausedLine(paused, limits.free_domains)}</span>
        </span>
      </div>
    );
  // Before the first certificate, the line above says that the check is running.
  const isBusy = checking && fingerprint !== null;
  return (
    <div className={ROW}>
      <span className="relative flex min-w-0 items-center self-stretch">
        <UptimeStrip checks={uptime.checks} places={90} />
        <CheckOverlay domain={domain} onOpen={onOpen} />
      </span>
      <span className="num ml-auto flex flex-none items-center gap-1.5 font-[520] text-fg-2">
        {isBusy && (
          <span title="Checking…">
            <Spinner className="size-3.5" />
            <span className="sr-only">Checking…</span>
          </span>
        )}
        {uptimeText(uptime)}
      </span>
    </div>
  );
}
