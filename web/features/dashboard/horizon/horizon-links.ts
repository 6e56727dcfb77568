import { endOfView } from '../../../ui/horizon/day-axis.ts';
import { HORIZON_SPANS, type HorizonSpan } from '../../../lib/dashboard-search.ts';
import {
  GLYPH,
  type HorizonEntry,
  type HorizonLayout,
  type HorizonNote,
  type HorizonPin,
} from '../../../ui/horizon/horizon-layout.ts';
import { pinName } from './horizon-entries.ts';
import { grouped } from '../../../lib/format.ts';

export const SPAN_NAMES: Record<HorizonSpan, string> = { 30: '30 days', 90: '90 days', 365: '1 year' };

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** What a link of the horizon opens: a panel, a certificate's page, the list with other filters, or another span. */
export type Target =
  | { kind: 'domain'; id: string }
  | { kind: 'certificate'; fingerprint: string }
  | { kind: 'period'; period: string }
  | { kind: 'expired' }
  | { kind: 'span'; span: HorizonSpan };

export interface HorizonLink {
  key: string;
  name: string;
  box: Box;
  target: Target;
  pin: HorizonPin | null;
}

/** How far a link reaches to each side of the centre of its pin, in px: for a pin without a label, and for a pin with one. */
const HALF_WIDTH = GLYPH / 2 + 1;
const LABELLED_HALF_WIDTH = GLYPH / 2 + 4;
const HEIGHT = 24;
const SHORT_HEIGHT = 20;

/** Returns the links that lie over the drawing, ordered by date. */
export function horizonLinks(layout: HorizonLayout, now: number): HorizonLink[] {
  const { pins, moreExpired, later } = layout;
  const links = pins.map((pin) => pinLink(pin, layout, now));
  const firstAhead = pins.findIndex(({ place }) => place !== 'expired');
  const behind = firstAhead < 0 ? links.length : firstAhead;
  const wider = widerSpan(layout, now);
  return [
    ...links.slice(0, behind),
    ...(moreExpired ? [moreExpiredLink(moreExpired)] : []),
    ...links.slice(behind),
    ...(later && later.count > 0 && wider ? [laterLink(later, wider)] : []),
  ];
}

function pinLink(pin: HorizonPin, { base }: HorizonLayout, now: number): HorizonLink {
  const { entry, x, y, label, labelX, labelWidth } = pin;
  const left = label === null ? x - HALF_WIDTH : Math.min(x - LABELLED_HALF_WIDTH, labelX - 4);
  const right = label === null ? x + HALF_WIDTH : Math.max(x + LABELLED_HALF_WIDTH, labelX + labelWidth + 4);
  const isShort = y + HEIGHT / 2 > base;
  const height = isShort ? SHORT_HEIGHT : HEIGHT;
  return {
    key: entry.id,
    name: pinName(entry, now),
    box: {
      left,
      top: y - height / 2,
      width: right - left,
      height,
    },
    target: targetOf(entry, daysPeriod(utcDay(entry.notAfter))),
    pin,
  };
}

/** Returns what opens for a certificate, or for several that expire in a period. */
export function targetOf(
  { id, count, shared }: Pick<HorizonEntry, 'id' | 'count' | 'shared'>,
  period: string,
): Target {
  if (count > 1) return { kind: 'period', period };
  return shared ? { kind: 'certificate', fingerprint: shared.fingerprint } : { kind: 'domain', id };
}

/** Returns '2026-11-22' for an instant in ms UTC. */
export const utcDay = (instant: number): string => new Date(instant).toISOString().slice(0, 10);

/** Returns a period as the API writes it, from one day to another. */
export const daysPeriod = (first: string, last = first): string => `${first}..${last}`;

function noteBox({ x, y, width }: HorizonNote): Box {
  return { left: x - 4, top: y - 16, width: width + 8, height: HEIGHT };
}

function moreExpiredLink(note: HorizonNote): HorizonLink {
  return {
    key: 'more-expired',
    name: `${grouped(note.count)} more expired: show all expired domains in the list`,
    box: noteBox(note),
    target: { kind: 'expired' },
    pin: null,
  };
}

function laterLink(note: HorizonNote, span: HorizonSpan): HorizonLink {
  return {
    key: 'later',
    name: `${note.text}: show ${SPAN_NAMES[span]}`,
    box: noteBox(note),
    target: { kind: 'span', span },
    pin: null,
  };
}

/** Returns the smallest span that shows more certificates than the current one, else the widest; null if no span is wider. */
function widerSpan({ frame, pins }: HorizonLayout, now: number): HorizonSpan | null {
  const first = pins.find(({ place }) => place === 'later')?.entry.notAfter;
  const wider = HORIZON_SPANS.filter((span) => span > frame.days);
  const showing = wider.find((span) => first !== undefined && first < endOfView(now, span));
  return showing ?? wider.at(-1) ?? null;
}
