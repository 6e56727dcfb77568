import { Moon } from 'lucide-react';
import { useMemo } from 'react';
import { expiryBadge } from '../../../contract/state/badge.ts';
import { rowsFor } from '../../ui/horizon/frames.ts';
import { HorizonCard, useCardLayout } from '../../ui/horizon/horizon-card.tsx';
import type { HorizonEntry } from '../../ui/horizon/horizon-layout.ts';
import { Glyph } from '../../ui/glyph.tsx';
import { Wordmark } from '../../ui/logo.tsx';
import { segmentClass, SEGMENTS } from '../../ui/segments.ts';
import { SampleCard } from './sample-card.tsx';
import { EXPIRED_SAMPLE, EXPIRING_SAMPLE, notAfterOf, REVOKED_SAMPLE, SAMPLES } from './samples.ts';
import { ShotToolbar } from './shot-toolbar.tsx';

const ROWS = rowsFor({ expired: 1, ahead: SAMPLES.length - 1 });

/** Shows the dashboard in the dark theme, built from the real components. Below 720 px shows only one card. */
export function DashboardShot({ productName, now }: { productName: string; now: number }) {
  return (
    <>
      <div className="mt-6 md:hidden">
        <SampleCard sample={EXPIRING_SAMPLE} now={now} />
      </div>
      {/* Uses the page's shadow, because the shadow of the dark theme would look wrong on a light page. */}
      <div className="mt-9 rounded-[14px] shadow-3 max-md:hidden">
        <figure
          data-theme="dark"
          className="h-[748px] overflow-hidden rounded-[14px] border border-line bg-bg text-fg"
          aria-label="The dashboard with example hosts"
        >
          <ShotHeader productName={productName} />
          <div className="mx-auto max-w-[1080px] px-7 pt-8 lg:px-10">
            <ShotSentence />
            <ShotHorizon now={now} />
            <ShotToolbar samples={SAMPLES} now={now} />
            <div className="mt-3 grid grid-cols-2 gap-4 xl:grid-cols-3">
              {SAMPLES.slice(0, 6).map((sample) => (
                <SampleCard key={sample.hostname} sample={sample} now={now} />
              ))}
            </div>
          </div>
        </figure>
      </div>
    </>
  );
}

function ShotHeader({ productName }: { productName: string }) {
  return (
    <div className="border-b border-line bg-surface">
      <div className="mx-auto flex h-[52px] max-w-[1080px] items-center gap-4 px-7 lg:px-10">
        <Wordmark name={productName} size="small" />
        <span className="flex-1" />
        <span className="text-label font-medium text-fg-2">Give Feedback</span>
        <span className="h-5 border-l border-line-2" />
        <Moon className="size-4 text-fg-2" strokeWidth={1.6} aria-hidden="true" />
        <span className="grid size-7 place-items-center rounded-full bg-fg text-small font-semibold text-bg">
          MV
        </span>
      </div>
    </div>
  );
}

const URGENT = [
  { ...EXPIRED_SAMPLE, glyph: 'expired', mark: 'text-expired-mark', words: 'expired' },
  { ...REVOKED_SAMPLE, glyph: 'revoked', mark: 'text-revoked-mark', words: 'revoked' },
  {
    ...EXPIRING_SAMPLE,
    glyph: 'critical',
    mark: 'text-critical-mark',
    words: `${EXPIRING_SAMPLE.days} days`,
  },
] as const;

function ShotSentence() {
  return (
    <>
      <p className="text-[22px]/7 font-bold tracking-[-.022em]">5 certificates need attention, 4 this week</p>
      <p className="mt-2 mb-5 flex flex-wrap items-center gap-2 text-label whitespace-nowrap">
        {URGENT.map(({ hostname, glyph, mark, words }) => (
          <span
            key={hostname}
            className="flex min-h-8 items-center gap-1.5 rounded-2 border border-line-2 bg-surface px-2.5"
          >
            <Glyph name={glyph} className={`size-[13px] [--glyph-cut:var(--surface)] ${mark}`} />
            <span className="font-mono font-[560] tracking-[-.025em]">{hostname}</span>
            <span className="num text-fg-2">· {words}</span>
          </span>
        ))}
        <span className="px-2.5 font-[560] text-accent-fg">Show all 5</span>
      </p>
    </>
  );
}

function ShotHorizon({ now }: { now: number }) {
  const entries = useMemo(
    () =>
      SAMPLES.map((sample): HorizonEntry => {
        const notAfter = notAfterOf(sample, now);
        const status = sample.revoked ? 'revoked' : (expiryBadge(notAfter, now)?.status ?? 'ok');
        return { id: sample.hostname, name: sample.hostname, notAfter, status, count: 1 };
      }),
    [now],
  );
  const [ref, layout] = useCardLayout({ span: 90, rows: ROWS }, { entries, now });
  return (
    <HorizonCard
      ref={ref}
      layout={layout}
      rows={ROWS}
      heading="Expiry horizon"
      choice={
        <span className={SEGMENTS}>
          <span className={segmentClass(false)}>30 days</span>
          <span className={segmentClass(true)}>90 days</span>
          <span className={segmentClass(false)}>1 year</span>
        </span>
      }
    />
  );
}
