import { classNames } from '../class-names.ts';
import { type Lifetime, lifetimeGeometry, type LifetimeStatus } from './lifetime-geometry.ts';

const ELAPSED: Record<LifetimeStatus, string> = {
  ok: 'bg-elapsed',
  soon: 'bg-soon-mark',
  critical: 'bg-critical-mark',
  expired: 'bg-expired-mark',
  revoked: 'bg-elapsed',
};
const RING: Record<LifetimeStatus, string> = {
  ok: 'border-ok-mark',
  soon: 'border-soon-mark',
  critical: 'border-critical-mark',
  expired: 'border-expired-mark',
  revoked: 'border-revoked-mark',
};
// In forced-colors mode, browsers drop backgrounds unless told not to. The tokens use system colours there.
const BAR = 'relative h-4 forced-color-adjust-none';
const WALL = 'absolute top-0 h-4 w-0.5 rounded-[1px] bg-fg';
const NOW_RING =
  'absolute top-0.5 z-1 -ml-1.5 size-3 rounded-full border-3 shadow-[0_0_0_2px_var(--surface)]';

/**
 * Draws the product's signature: a ring (now) on a shaft (validity) that ends at a wall (notAfter). `lifetime` null draws an empty
 * bar.
 */
export function LifetimeBar({ lifetime, now }: { lifetime: Lifetime | null; now: number }) {
  if (!lifetime)
    return (
      <div role="img" aria-label="No dates yet" className={BAR}>
        <span className="absolute inset-x-0 top-[7px] border-t-2 border-dashed border-line-2" />
      </div>
    );

  const { status, elapsedPercent, renewalPercent, label } = lifetimeGeometry(lifetime, now);
  if (status === 'expired') {
    // Leaves at least 24 px after the wall for the ring of an expired certificate.
    const wall = `min(${elapsedPercent}%, 100% - 24px)`;
    return (
      <div role="img" aria-label={label} className={BAR}>
        <span
          className="absolute top-1.5 left-0 h-1 rounded-l-[2px] bg-expired-mark"
          style={{ width: wall }}
        />
        <span
          className="absolute top-[7px] right-1.5 h-0.5 bg-[repeating-linear-gradient(90deg,var(--expired-mark)_0_3px,transparent_3px_6px)]"
          style={{ left: wall }}
        />
        <span className={WALL} style={{ left: wall }} />
        <span className={classNames(NOW_RING, RING.expired, 'left-[calc(100%-6px)] bg-expired-mark')} />
      </div>
    );
  }

  return (
    <div role="img" aria-label={label} className={BAR}>
      <span className="absolute inset-x-0 top-1.5 h-1 rounded-l-[2px] bg-line" />
      {renewalPercent !== null && (
        <>
          <span
            className="hatch absolute top-1 right-0 h-2 border border-r-0 border-line-2 bg-surface"
            style={{ left: `${Math.max(renewalPercent, elapsedPercent)}%` }}
          />
          <span className="absolute top-[3px] h-2.5 w-px bg-line-2" style={{ left: `${renewalPercent}%` }} />
        </>
      )}
      <span
        className={classNames('absolute top-1.5 left-0 h-1 rounded-l-[2px]', ELAPSED[status])}
        style={{ width: `${elapsedPercent}%` }}
      />
      <span className={classNames(WALL, '-right-px')} />
      {/* The ring never covers the wall. */}
      <span
        className={classNames(NOW_RING, RING[status], 'bg-surface')}
        style={{ left: `clamp(6px, ${elapsedPercent}%, 100% - 10px)` }}
      />
    </div>
  );
}
