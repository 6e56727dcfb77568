import { hash } from 'node:crypto';
import { DAY_MS } from '../../../contract/durations.ts';
import { asBase64, asList, asObject, asText, jsonObject, parseInstant } from '../json-fields.ts';
import { PkiError } from '../pki-error.ts';
import { parsePublicKey, type PublicKey } from '../public-key.ts';

/** States of a log (googlechrome.github.io/CertificateTransparency/log_states.html; Apple's are the same). */
export type LogState =
  | 'pending'
  | 'qualified'
  | 'usable'
  | 'readonly'
  | 'retired'
  | 'rejected'
  /** Ours: the list names no state that we know, or a retirement without its time. */
  | 'unknown';

/** A Certificate Transparency log as a browser knows it. Text is untrusted. */
export interface TransparencyLog {
  readonly description: string;
  /** Who operates it now. */
  readonly operator: string;
  /** Who operated it before, the earliest first, each with the end of that time (ms UTC). */
  readonly previousOperators: readonly { readonly name: string; readonly until: number }[];
  /** Whether it is a log of the static-ct-api, and not one of RFC 6962. */
  readonly isStatic: boolean;
  /** Null if the list has no key with the hash that is the log's id, or a kind of key that logs may not use (RFC 6962 §2.1.4). */
  readonly key: PublicKey | null;
  readonly state: LogState;
  /** Since when it has the state, ms UTC; null if the list does not say. */
  readonly since: number | null;
}

export interface LogList {
  /** Time of the list, ms UTC: when it was published, or received if it does not say. */
  readonly asOf: number;
  /** The logs by their id in base64. */
  readonly logs: ReadonlyMap<string, TransparencyLog>;
}

/** Chrome stops enforcing a list that is older (ct_policy.md, "CT Enforcement Timeout"). */
const MAX_AGE_MS = 70 * DAY_MS;

/** Returns until when a list says what browsers do, ms UTC. */
export function currentUntil({ asOf }: Pick<LogList, 'asOf'>): number {
  return asOf + MAX_AGE_MS;
}

/** Size limit of a list. Those of Google and Apple have 80 and 150 kB. Parsing the worst JSON of this size takes 60 ms of CPU time. */
export const MAX_LIST_BYTES = 512 * 1024;
/** Google's list of all logs has fewer than 150 logs, Apple's fewer than 200. */
const MAX_LOGS = 2_000;

/**
 * Parses a list of logs in Google's schema v3 (www.gstatic.com/ct/log_list/v3/log_list_schema.json), or Apple's list, which has the same
 * fields. `receivedAt`: when we received it, ms UTC. Ignores unknown fields. Returns one line if the list cannot be used; never throws.
 */
export function parseLogList(body: Uint8Array, receivedAt: number): LogList | { problem: string } {
  if (body.length > MAX_LIST_BYTES)
    return { problem: `The list of logs is larger than ${MAX_LIST_BYTES / 1024} kB.` };
  const content = jsonObject(body);
  if (content === null || !Array.isArray(content.operators))
    return { problem: 'The list of logs is not JSON with operators.' };
  const entries = asList(content.operators).flatMap((operator) => logsOf(asObject(operator)));
  if (entries.length > MAX_LOGS)
    return { problem: `The list has ${entries.length} logs; at most ${MAX_LOGS} are read.` };
  const logs = new Map<string, TransparencyLog>();
  for (const { entry, operator, isStatic } of entries) {
    const id = readLogId(entry);
    if (id === null) continue;
    if (logs.has(id)) return { problem: `The list has two logs with the id ${id}.` };
    logs.set(id, readLog(entry, id, operator, isStatic));
  }
  if (logs.size === 0) return { problem: 'The list has no logs.' };
  return { asOf: Math.min(parseInstant(content.log_list_timestamp) ?? receivedAt, receivedAt), logs };
}

type Fields = Readonly<Record<string, unknown>>;

function logsOf(operator: Fields | null): { entry: Fields | null; operator: string; isStatic: boolean }[] {
  const name = readName(operator?.name);
  return [
    ...asList(operator?.logs).map((log) => ({ entry: asObject(log), operator: name, isStatic: false })),
    ...asList(operator?.tiled_logs).map((log) => ({ entry: asObject(log), operator: name, isStatic: true })),
  ];
}

/** Longest name that is kept, in UTF-16 code units. */
const MAX_NAME = 100;

/** Returns the beginning of a name; empty if it is no text. */
function readName(value: unknown): string {
  return (asText(value) ?? '').slice(0, MAX_NAME);
}

const LOG_ID_BYTES = 32;

function readLogId(entry: Fields | null): string | null {
  const id = asBase64(entry?.log_id);
  return id?.length === LOG_ID_BYTES ? Buffer.from(id).toString('base64') : null;
}

function readLog(entry: Fields | null, id: string, operator: string, isStatic: boolean): TransparencyLog {
  const [state = 'unknown'] = STATES.filter((name) => asObject(entry?.state)?.[name] !== undefined);
  const previousOperators = asList(entry?.previous_operators).flatMap((previous) => {
    const until = parseInstant(asObject(previous)?.end_time);
    return until === null ? [] : [{ name: readName(asObject(previous)?.name), until }];
  });
  const since = parseInstant(asObject(asObject(entry?.state)?.[state])?.timestamp);
  return {
    description: readName(entry?.description),
    operator,
    previousOperators: previousOperators.toSorted((left, right) => left.until - right.until),
    isStatic,
    key: readKey(asBase64(entry?.key), id),
    state: state === 'retired' && since === null ? 'unknown' : state,
    since,
  };
}

/** The known states. If a list names several, the one that trusts least comes first. */
const STATES: readonly LogState[] = ['rejected', 'retired', 'pending', 'readonly', 'usable', 'qualified'];

const MIN_RSA_BITS = 2_048;

function readKey(der: Uint8Array | null, id: string): PublicKey | null {
  if (der === null || hash('sha256', der, 'base64') !== id) return null;
  try {
    const key = parsePublicKey(der);
    const isPermitted = key.type === 'rsa' ? key.bits >= MIN_RSA_BITS : key.curve === 'P-256';
    return isPermitted ? key : null;
  } catch (error) {
    if (error instanceof PkiError) return null;
    throw error;
  }
}

/** Returns who operated a log at an instant (ms UTC), as Chrome counts it. */
export function operatorAt({ operator, previousOperators }: TransparencyLog, at: number): string {
  return previousOperators.find(({ until }) => at < until)?.name ?? operator;
}
