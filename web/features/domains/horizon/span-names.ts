import type { HorizonSpan } from '../../../lib/dashboard-search.ts';

export const SPAN_NAMES: Record<HorizonSpan, string> = { 30: '30 days', 90: '90 days', 365: '1 year' };
