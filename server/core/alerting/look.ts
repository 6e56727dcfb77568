import type { Verdict } from '../verdict.ts';
import type { KnownIncident } from './incident.ts';
import type { AlertSettings } from './settings.ts';

/** One recorded look at an endpoint, with all that decides on what people are told. */
export interface Look {
  verdict: Verdict;
  previous: Verdict | null;
  /** Whether this look found the endpoint to be up; false where it could not tell. */
  isUp: boolean;
  /** Of the monitor: open, or ended within `REMEMBER_INCIDENTS_MS`. Incidents of the problem `down` as this look left them. */
  known: readonly KnownIncident[];
  settings: Pick<AlertSettings, 'steps' | 'muted'>;
  /** Until when expected work goes on; null: none does. */
  maintenanceUntil: number | null;
  now: number;
}
