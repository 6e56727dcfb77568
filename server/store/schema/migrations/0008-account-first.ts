// Breaking: tables of checks give way to others, and keys begin with the account.
import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../../db/dialect.ts';
import { carryChecks } from './0008-carry-checks.ts';

/**
 * Checks as runs of those that said the same, with what they showed and concluded once each, and the figures of days; what each check
 * writes anew apart from what lists, claims and searches read. What grows with monitors or time is found by its account first.
 */
export async function createAccountFirstTables(db: Kysely<unknown>, dialect: DialectName): Promise<void> {
  for (const table of REBUILT)
    await sql`alter table ${sql.table(table)} rename to ${sql.table(`former_${table}`)}`.execute(db);
  for (const [name, { columns, storing }] of Object.entries(TABLES))
    await sql`create table ${sql.table(name)} (${sql.raw(columns)}) ${sql.raw(storing?.[dialect] ?? '')}`.execute(
      db,
    );
  for (const { table, columns, from } of CARRIED) {
    const names = columns.map((column) => sql.ref(column.split(' = ')[0] ?? ''));
    const values = columns.map((column) => sql.raw(column.split(' = ')[1] ?? `former.${column}`));
    await sql`insert into ${sql.table(table)} (${sql.join(names)})
      select ${sql.join(values)} from ${sql.table(`former_${table}`)} former ${sql.raw(from ?? '')}`.execute(
      db,
    );
  }
  await carryChecks(db);
  for (const table of REBUILT.toReversed()) await sql`drop table ${sql.table(`former_${table}`)}`.execute(db);
  for (const index of INDEXES) await sql`create ${sql.raw(index)}`.execute(db);
}

/** In an order in which each refers to earlier ones alone. */
const REBUILT = [
  ...['monitors', 'incidents', 'alerts', 'deliveries', 'delivery_attempts', 'unsubscriptions'],
  ...['maintenance_windows', 'monitor_certificates', 'verdicts', 'checks'],
];

/** Rows of a few short columns stand in the key itself. */
const SMALL = { sqlite: 'without rowid', postgres: '' };
/**
 * Every row changes at each check: there is room beside it for its next version, and what is left of old ones is swept when it is a
 * fiftieth of the table, not a fifth.
 */
const HOT = {
  sqlite: '',
  postgres: `with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 1)`,
};

const ACCOUNT = 'account_id text not null references accounts (id) on delete cascade';
const MONITOR = `account_id text not null, monitor_id text not null`;
const OF_MONITOR =
  'foreign key (account_id, monitor_id) references monitors (account_id, id) on delete cascade';
const OF_INCIDENT =
  'foreign key (account_id, incident_id) references incidents (account_id, id) on delete cascade';

const TABLES: Record<string, { columns: string; storing?: Record<DialectName, string> }> = {
  monitors: {
    columns: `${ACCOUNT}, id text not null, host text not null, port integer not null,
      protocol text not null default 'tls', check_every_minutes integer not null, created_at bigint not null,
      next_check_at bigint not null, last_checked_at bigint, checked integer not null default 0,
      check_requested_at bigint, lease_token text, lease_expires_at bigint, claimed_by text,
      claim_asked integer not null default 0,
      certificate_fingerprint text references certificates (fingerprint), not_after bigint,
      revoked integer not null, last_read_at bigint, unreachable_since bigint, problem text, problem_message text,
      active integer not null default 1, paused_by text, paused_at bigint, uptime text, uptime_since bigint,
      suspected_since bigint, down_since bigint, down_seen_at bigint, response_ms integer,
      recent_checks text not null default '', notes text not null default '', tags text not null default '[]',
      search_text text not null default '', alert_settings text,
      constraint monitors_key primary key (account_id, id),
      constraint monitors_once unique (account_id, host, port)`,
    storing: HOT,
  },
  monitor_states: {
    columns: `${MONITOR}, verdict_id text, moment text, evidence_id text, shown_id text, shown_at bigint,
      run_number integer not null, run_last_at bigint not null, run_checks integer not null, samples text,
      hour_at bigint, hour text,
      constraint monitor_states_key primary key (account_id, monitor_id), ${OF_MONITOR}`,
    storing: HOT,
  },
  check_runs: {
    columns: `${MONITOR}, number integer not null, first_at bigint not null, last_at bigint, checks integer not null,
      reached integer not null, uptime text, down_message text, verdict_id text not null, evidence_id text not null,
      constraint check_runs_key primary key (account_id, monitor_id, number), ${OF_MONITOR}`,
    storing: SMALL,
  },
  monitor_days: {
    columns: `${MONITOR}, day_at bigint not null, checks integer not null, up integer not null, down integer not null,
      unknown integer not null, answered integer not null, response_sum bigint not null,
      response_max integer not null, hours text not null,
      constraint monitor_days_key primary key (account_id, monitor_id, day_at), ${OF_MONITOR}`,
    storing: SMALL,
  },
  evidence: {
    columns: `${MONITOR}, id text not null, first_seen_at bigint not null, observation text not null,
      constraint evidence_key primary key (account_id, monitor_id, id), ${OF_MONITOR}`,
  },
  verdicts: {
    columns: `${MONITOR}, id text not null, judged_at bigint not null, leaf_fingerprint text, verdict text not null,
      constraint verdicts_key primary key (account_id, monitor_id, id), ${OF_MONITOR}`,
  },
  monitor_certificates: {
    columns: `${MONITOR}, id text not null, fingerprint text not null references certificates (fingerprint),
      role text not null, first_seen_at bigint not null, last_seen_at bigint not null, shown integer not null,
      constraint monitor_certificates_once primary key (account_id, monitor_id, fingerprint), ${OF_MONITOR}`,
    storing: SMALL,
  },
  incidents: {
    columns: `${MONITOR}, id text not null, problem text not null, fingerprint text not null,
      started_at bigint not null, confirmed_at bigint, clearing_since bigint, ended_at bigint,
      recovered integer not null, acknowledged_at bigint, snoozed_until bigint, cause text not null,
      message text not null, facts text not null,
      constraint incidents_key primary key (account_id, id), ${OF_MONITOR}`,
  },
  alerts: {
    columns: `${ACCOUNT}, id text not null, monitor_id text, incident_id text, kind text not null, step text not null,
      fingerprint text not null, severity text not null, facts text not null, created_at bigint not null,
      constraint alerts_key primary key (account_id, id), ${OF_MONITOR}, ${OF_INCIDENT}`,
  },
  deliveries: {
    columns: `${ACCOUNT}, id text not null, alert_id text not null, incident_id text, channel text not null,
      channel_key text not null, channel_id text references channels (id) on delete set null,
      dedupe_key text not null, message_id text not null, state text not null, attempts integer not null,
      unanswered integer not null, next_attempt_at bigint not null, first_attempt_at bigint, lease_token text,
      lease_expires_at bigint, claimed_by text, settled_at bigint, detail text, forced integer not null default 0,
      created_at bigint not null,
      constraint deliveries_key primary key (account_id, id),
      constraint deliveries_once unique (account_id, dedupe_key), ${OF_INCIDENT},
      foreign key (account_id, alert_id) references alerts (account_id, id) on delete cascade`,
  },
  delivery_attempts: {
    columns: `account_id text not null, delivery_id text not null, attempt integer not null,
      started_at bigint not null, finished_at bigint, outcome text, detail text,
      constraint delivery_attempts_key primary key (account_id, delivery_id, attempt),
      foreign key (account_id, delivery_id) references deliveries (account_id, id) on delete cascade`,
  },
  unsubscriptions: {
    columns: `${ACCOUNT}, id text not null, channel_key text not null, monitor_id text, created_at bigint not null,
      constraint unsubscriptions_key primary key (account_id, id), ${OF_MONITOR}`,
  },
  maintenance_windows: {
    columns: `${ACCOUNT}, id text not null, monitor_id text, starts_at bigint not null, ends_at bigint not null,
      repeats text not null, note text not null, created_at bigint not null,
      constraint maintenance_windows_key primary key (account_id, id), ${OF_MONITOR}`,
  },
};

const ITS_MONITOR = 'join monitors on monitors.id = former.monitor_id';

/** `column`, or `column = where it comes from`. `from`: what to join besides. */
const CARRIED: readonly { table: string; columns: readonly string[]; from?: string }[] = [
  {
    table: 'monitors',
    columns: [
      ...[
        'account_id',
        'id',
        'host',
        'port',
        'protocol',
        'check_every_minutes',
        'created_at',
        'next_check_at',
      ],
      ...['last_checked_at', 'checked = case when former.last_checked_at is null then 0 else 1 end'],
      ...['check_requested_at', 'lease_token', 'lease_expires_at', 'claimed_by', 'claim_asked'],
      ...['certificate_fingerprint', 'not_after', 'revoked', 'last_read_at', 'unreachable_since', 'problem'],
      ...['problem_message', 'active', 'paused_by', 'paused_at', 'uptime', 'uptime_since', 'suspected_since'],
      ...['down_since', 'down_seen_at', 'response_ms', 'recent_checks', 'notes', 'tags', 'search_text'],
      'alert_settings',
    ],
  },
  {
    table: 'incidents',
    columns: [
      ...['account_id = monitors.account_id', 'monitor_id', 'id', 'problem', 'fingerprint', 'started_at'],
      ...['confirmed_at', 'clearing_since', 'ended_at', 'recovered', 'acknowledged_at', 'snoozed_until'],
      ...['cause', 'message', 'facts'],
    ],
    from: ITS_MONITOR,
  },
  {
    table: 'alerts',
    columns: [
      ...[
        'account_id',
        'id',
        'monitor_id',
        'incident_id',
        'kind',
        'step',
        'fingerprint',
        'severity',
        'facts',
      ],
      'created_at',
    ],
  },
  {
    table: 'deliveries',
    columns: [
      ...[
        'account_id',
        'id',
        'alert_id',
        'incident_id',
        'channel',
        'channel_key',
        'channel_id',
        'dedupe_key',
      ],
      ...[
        'message_id',
        'state',
        'attempts',
        'unanswered',
        'next_attempt_at',
        'first_attempt_at',
        'lease_token',
      ],
      ...['lease_expires_at', 'claimed_by', 'settled_at', 'detail', 'forced', 'created_at'],
    ],
  },
  {
    table: 'delivery_attempts',
    columns: [
      ...['account_id = deliveries.account_id', 'delivery_id', 'attempt', 'started_at', 'finished_at'],
      ...['outcome', 'detail'],
    ],
    from: 'join deliveries on deliveries.id = former.delivery_id',
  },
  { table: 'unsubscriptions', columns: ['account_id', 'id', 'channel_key', 'monitor_id', 'created_at'] },
  {
    table: 'maintenance_windows',
    columns: [...['account_id', 'id', 'monitor_id', 'starts_at', 'ends_at', 'repeats', 'note', 'created_at']],
  },
  {
    table: 'monitor_certificates',
    columns: [
      ...['account_id = monitors.account_id', 'monitor_id', 'id', 'fingerprint', 'role', 'first_seen_at'],
      ...['last_seen_at', 'shown = 0'],
    ],
    from: ITS_MONITOR,
  },
];

/**
 * Those that begin otherwise serve who works for all accounts: what is due, and in the outbox by its id; who watches a site; who still
 * shows a certificate.
 */
const INDEXES = [
  'index monitors_newest on monitors (account_id, created_at, id)',
  'index monitors_soonest on monitors (account_id, not_after, id, revoked, checked, paused_by)',
  'index monitors_problem on monitors (account_id, host) where problem is not null',
  'index monitors_due on monitors (next_check_at) where active = 1',
  'index monitors_certificate on monitors (certificate_fingerprint)',
  'index monitors_site on monitors (host, port)',
  'index monitor_certificates_fingerprint on monitor_certificates (fingerprint)',
  'index incidents_of_monitor on incidents (account_id, monitor_id, started_at)',
  `unique index incidents_open on incidents (account_id, monitor_id, problem, fingerprint) where ended_at is null`,
  'index alerts_account on alerts (account_id, created_at)',
  'index alerts_monitor on alerts (account_id, monitor_id, created_at)',
  'unique index alerts_once on alerts (account_id, incident_id, step)',
  'index deliveries_account on deliveries (account_id, created_at)',
  'index deliveries_alert on deliveries (account_id, alert_id)',
  'index deliveries_incident on deliveries (account_id, incident_id, channel_key)',
  'index deliveries_channel on deliveries (channel_id, created_at)',
  'index deliveries_leased on deliveries (account_id, channel_id) where lease_token is not null',
  `index deliveries_due on deliveries (next_attempt_at) where state = 'waiting'`,
  'index deliveries_id on deliveries (id)',
  'index unsubscriptions_monitor on unsubscriptions (account_id, monitor_id)',
  'index maintenance_windows_monitor on maintenance_windows (account_id, monitor_id)',
];
