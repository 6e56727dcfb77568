import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type GlyphName = 'expired' | 'critical' | 'soon' | 'ok' | 'active' | 'revoked' | 'paused' | 'fault';

// Shapes that can be told apart without colour. The cut-out uses --glyph-cut, else the badge's background.
const SHAPES: Record<GlyphName, ReactNode> = {
  expired: (
    <>
      <path fill="currentColor" d="M4.6 1h6.8L15 4.6v6.8L11.4 15H4.6L1 11.4V4.6z" />
      <path
        d="m5.5 5.5 5 5m0-5-5 5"
        stroke="var(--glyph-cut, var(--expired-bg))"
        strokeWidth="1.9"
        strokeLinecap="round"
      />
    </>
  ),
  critical: (
    <>
      <path
        fill="currentColor"
        d="M8 1.2a1.2 1.2 0 0 1 1.05.62l5.9 10.7a1.2 1.2 0 0 1-1.05 1.78H2.1a1.2 1.2 0 0 1-1.05-1.78L6.95 1.82A1.2 1.2 0 0 1 8 1.2z"
      />
      <path
        d="M8 5.8v3.4M8 11.7v.1"
        stroke="var(--glyph-cut, var(--critical-bg))"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
    </>
  ),
  soon: (
    <>
      <path fill="currentColor" d="M8 .8 15.2 8 8 15.2.8 8z" />
      <path
        d="M8 5v3.3l2 1.2"
        fill="none"
        stroke="var(--glyph-cut, var(--soon-bg))"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  ok: <circle cx="8" cy="8" r="5.2" fill="none" stroke="currentColor" strokeWidth="3.2" />,
  active: (
    <>
      <circle cx="8" cy="8" r="6.2" fill="none" stroke="currentColor" strokeWidth="1.8" />
      <path
        d="m5.3 8.2 1.9 1.9 3.5-4"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.8"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  revoked: (
    <>
      <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2" />
      <path d="m4 12 8-8" stroke="currentColor" strokeWidth="2" />
    </>
  ),
  fault: (
    <>
      <path stroke="currentColor" strokeWidth="2" d="M2.4 2.4h11.2v11.2H2.4z" />
      <path d="M8 5v3.4M8 10.9v.1" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </>
  ),
  paused: <path fill="currentColor" d="M2.6 2h3.8v12H2.6zM9.6 2h3.8v12H9.6z" />,
};

/** Draws the bare shape on a 16 px grid, for use inside another SVG. */
export function GlyphShape({ name }: { name: GlyphName }) {
  return SHAPES[name];
}

/** Draws a status glyph, hidden from screen readers because text stands beside it. 13 px by default. */
export function Glyph({ name, className }: { name: GlyphName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      className={classNames('block flex-none', className ?? 'size-[13px]')}
      fill="none"
      aria-hidden="true"
    >
      {SHAPES[name]}
    </svg>
  );
}
