import type { PlannedAlert } from '../../../server/core/alerting/alert.ts';
import {
  type IncidentPlan,
  type KnownIncident,
  type RecordedCheck,
  REMEMBER_INCIDENTS_MS,
} from '../../../server/core/alerting/incident.ts';
import { updateIncidents } from '../../../server/core/alerting/update-incidents.ts';
import { followUptime, type UptimeStanding } from '../../../server/core/check/uptime.ts';

export interface SentStep {
  incident: Incident;
  key: string;
  step: PlannedAlert['step'];
  alert: PlannedAlert;
  at: number;
  /** State of the alert. `waiting`: held until quiet hours end. */
  state: 'waiting' | 'sent' | 'superseded';
}

export type Incident = Omit<KnownIncident, 'notifiedSteps' | 'lastStepAt'> & {
  key: string;
  isDropped: boolean;
};

export const keyOf = ({ problem, fingerprint }: { problem: string; fingerprint: string }): string =>
  `${problem} ${fingerprint}`;

/** Keeps the incidents and alerts of one monitor in memory, as `server/store` does in the database. */
export class MemoryOutbox {
  readonly incidents: Incident[] = [];
  readonly sent: SentStep[] = [];
  /** Times at which incidents ended, in order. */
  readonly ends: { incident: Incident; at: number }[] = [];
  isQuiet = false;
  #uptime: UptimeStanding = { uptime: null, suspectedSince: null, downSince: null, downSeenAt: null };

  known(now: number): KnownIncident[] {
    return this.incidents
      .filter(
        ({ isDropped, endedAt }) => !isDropped && (endedAt === null || endedAt > now - REMEMBER_INCIDENTS_MS),
      )
      .map((incident) => {
        const sent = this.sentOf(incident);
        const times = sent.filter(({ step }) => step !== 'resolved').map(({ at }) => at);
        const lastStepAt = times.length === 0 ? null : Math.max(...times);
        return { ...incident, notifiedSteps: sent.map(({ step }) => step), lastStepAt };
      });
  }

  sentOf(incident: Incident): SentStep[] {
    return this.#rowsOf(incident).filter(({ state }) => state !== 'superseded');
  }

  #rowsOf({ incidentId }: Incident): SentStep[] {
    return this.sent.filter(({ incident }) => incident.incidentId === incidentId);
  }

  openOf(key: string): Incident | null {
    return this.incidents.find((one) => one.key === key && one.endedAt === null && !one.isDropped) ?? null;
  }

  /** Updates the uptime. Every check does so before it updates the incidents. */
  followUptime(state: 'up' | 'down' | 'unknown', now: number): void {
    const { standing, incident, endedAt } = followUptime(this.#uptime, { state, now });
    this.#uptime = standing;
    if (incident === 'begin')
      this.#open({
        problem: 'down',
        fingerprint: '',
        facts: NO_FACTS,
        incidentId: null,
        startedAt: standing.downSince ?? now,
        confirmedAt: now,
      });
    const open = this.openOf('down ');
    if (incident === 'end' && open !== null) {
      open.endedAt = endedAt ?? now;
      open.recovered = state === 'up';
      this.ends.push({ incident: open, at: now });
    }
  }

  /** Records a check and returns its alerts. By default the host is up and all settings have their defaults. */
  recordCheck({
    state = 'up',
    ...look
  }: Pick<RecordedCheck, 'verdict' | 'previous' | 'now'> &
    Partial<RecordedCheck> & { state?: 'up' | 'down' | 'unknown' }): SentStep[] {
    const { now } = look;
    this.followUptime(state, now);
    const settings = { steps: null, muted: [] };
    const known = this.known(now);
    return this.apply(
      updateIncidents({
        host: 'a.example',
        settings,
        maintenanceUntil: null,
        shared: [],
        renewals: [],
        ...look,
        isUp: state === 'up',
        known,
      }),
      now,
    );
  }

  apply({ changes, alerts }: IncidentPlan, now: number): SentStep[] {
    for (const change of changes) {
      if (change.kind === 'open') {
        if (this.openOf(keyOf(change)) !== null) throw new Error(`${keyOf(change)} is open already`);
        this.#open(change);
        continue;
      }
      const incident = this.incidents.find(({ id }) => id === change.id);
      if (incident === undefined) throw new Error(`There is no incident ${change.id}`);
      if (change.kind === 'end') {
        Object.assign(incident, { endedAt: change.endedAt, recovered: true });
        this.ends.push({ incident, at: now });
      } else if (change.kind === 'drop') {
        if (this.sentOf(incident).length > 0)
          throw new Error('What people were notified of must not be forgotten');
        incident.isDropped = true;
      } else {
        const { confirmedAt, clearingSince, facts } = change;
        Object.assign(incident, { confirmedAt, clearingSince, facts });
      }
    }
    return alerts.flatMap((alert) => this.#add(alert, now) ?? []);
  }

  /** Ends the quiet hours. */
  deliver(): void {
    for (const one of this.sent) if (one.state === 'waiting') one.state = 'sent';
  }

  /** Drops the queued alerts of an incident that was acknowledged or snoozed. Keeps the one that says that it is resolved. */
  dropWaiting(incident: Incident): void {
    for (const one of this.#rowsOf(incident))
      if (one.state === 'waiting' && one.step !== 'resolved') one.state = 'superseded';
  }

  #open({
    problem,
    fingerprint,
    facts,
    startedAt,
    confirmedAt,
    incidentId,
  }: Pick<KnownIncident, 'problem' | 'fingerprint' | 'facts' | 'startedAt' | 'confirmedAt'> & {
    incidentId: string | null;
  }): void {
    const id = `i${this.incidents.length}`;
    const joined = this.incidents.findLast((one) => one.incidentId === incidentId);
    this.incidents.push({
      id,
      incidentId: incidentId ?? id,
      problem,
      fingerprint,
      key: keyOf({ problem, fingerprint }),
      startedAt,
      confirmedAt,
      clearingSince: null,
      endedAt: null,
      recovered: false,
      reportsEnd: false,
      acknowledgedAt: joined?.acknowledgedAt ?? null,
      snoozedUntil: joined?.snoozedUntil ?? null,
      facts,
      isDropped: false,
    });
  }

  #add(alert: PlannedAlert, now: number): SentStep | null {
    const key = keyOf(alert);
    const incident = this.incidents.findLast(({ incidentId, key: own }) =>
      alert.incidentId === null ? own === key : incidentId === alert.incidentId,
    );
    if (incident === undefined) throw new Error(`An alert of ${key} has no incident`);
    const rows = this.#rowsOf(incident);
    const wasSent = rows.some(
      ({ state, step }) =>
        state === 'sent' || (alert.problem === 'down' && state === 'waiting' && step !== 'resolved'),
    );
    for (const one of rows) if (one.state === 'waiting') one.state = 'superseded';
    if (alert.step === 'resolved' && !wasSent) return null;
    const next: SentStep = {
      incident,
      key,
      step: alert.step,
      alert,
      at: now,
      state: this.isQuiet ? 'waiting' : 'sent',
    };
    const same = rows.find(({ step }) => step === alert.step);
    if (same !== undefined && same.state !== 'superseded')
      throw new Error(`${key} ${alert.step} is sent twice`);
    if (same === undefined) this.sent.push(next);
    else Object.assign(same, next);
    return same ?? next;
  }
}

const NO_FACTS = {
  certificate: null,
  asOf: 0,
  message: null,
  fix: null,
  successor: null,
  startedAt: 0,
  endedAt: null,
};
