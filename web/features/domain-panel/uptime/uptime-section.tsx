import type { DomainWire } from '../../../../contract/domain.ts';
import { useNow } from '../../../lib/use-now.ts';
import { lazyPart } from '../../../ui/lazy.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { PanelSection } from '../../../domain/panel-section.tsx';
import { SectionError } from '../../../domain/section-error.tsx';
import { useUptime } from '../../../domain/uptime/check-overlay.tsx';

const UptimeDetails = lazyPart(async () => (await import('./uptime-details.tsx')).UptimeDetails, <Loading />);

/** Shows the panel's section about uptime; its code loads when it is first shown. */
export function UptimeSection({ domain }: { domain: DomainWire }) {
  return (
    <PanelSection title="Uptime" isTitleHidden>
      <Content domain={domain} />
    </PanelSection>
  );
}

function Content({ domain }: { domain: DomainWire }) {
  const now = useNow();
  const read = useUptime(domain);
  const { data, error } = read;
  if (error && !data)
    return <SectionError title="Could not load the uptime" note="Checks continue." read={read} />;
  if (!data) return <Loading />;
  if (data.checks.length === 0) return <p className="text-label text-fg-2">No checks yet</p>;
  return <UptimeDetails domain={domain} uptime={data} now={now} />;
}

function Loading() {
  return (
    <div aria-busy="true" className="grid gap-3">
      <span className="sr-only">Loading uptime...</span>
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-3.5 w-[269px] max-w-full" />
      <Skeleton className="h-[76px]" />
    </div>
  );
}
