import type { DomainWire } from '../../../../contract/domain.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { Glyph } from '../../../ui/glyph.tsx';
import { Spinner } from '../../../ui/spinner.tsx';
import { UptimeStrip } from '../../../ui/uptime-strip.tsx';
import { pausedLine } from '../paused-line.ts';
import { uptimeText } from '../uptime/uptime-text.ts';

const ROW = 'mt-auto flex min-h-[43px] items-center gap-3 border-t border-line px-[18px] text-meta text-fg-3';

/** The bottom row of a card: that it is paused, else its last checks and the share of the time that it was up. */
export function CardBottomRow({ domain }: { domain: DomainWire }) {
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
  // Before the first certificate, the place above says that it is being checked.
  const isBusy = checking && fingerprint !== null;
  return (
    <div className={ROW}>
      <UptimeStrip checks={uptime.checks} places={90} />
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
