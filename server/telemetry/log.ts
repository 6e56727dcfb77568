import pino, { type Logger } from 'pino';
import { currentLogFields } from './trace-context.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/**
 * Creates a logger that writes JSON lines with the fields of the current context and hides secrets. `fd` 2 is standard
 * error.
 */
export function createLog(level: LogLevel, fd = 2): Logger {
  return pino(
    {
      level,
      mixin: currentLogFields,
      serializers: { err: errorWithoutValues },
      hooks: { streamWrite: redactSecrets },
    },
    pino.destination(fd),
  );
}

/**
 * Error properties that are logged besides name, message and stack. Other properties may quote data: PostgreSQL's `detail`
 * contains whole rows.
 */
const LOGGED_PROPERTIES = [
  'code',
  'errcode',
  'syscall',
  'constraint',
  'table',
  'status',
  'responseCode',
] as const;
const MAX_CAUSE_DEPTH = 4;

function errorWithoutValues(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const facts = LOGGED_PROPERTIES.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  const causes = error instanceof AggregateError ? error.errors.slice(0, 3) : [error.cause];
  const known = depth < MAX_CAUSE_DEPTH ? causes.filter((cause) => cause instanceof Error) : [];
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    ...Object.fromEntries(facts),
    ...(known.length > 0 && { causes: known.map((cause) => errorWithoutValues(cause, depth + 1)) }),
  };
}

const HIDDEN = '***';

/**
 * Replaces everything in a finished log line that looks like a secret with `***`, because error messages may quote secrets. The
 * line stays valid JSON, because no pattern matches a quote or a backslash.
 */
export function redactSecrets(line: string): string {
  return (
    line
      .replaceAll(/:\/\/[^\s/@"\\]+@/g, `://${HIDDEN}@`)
      .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`)
      .replaceAll(/([?&](?:token|key|code|state|secret|password)=)[^&\s"\\]+/gi, `$1${HIDDEN}`)
      .replaceAll(/\bclt_[\w-]+/g, HIDDEN)
      .replaceAll(/(?<!\d)\d{6,}:[\w-]{30,}/g, HIDDEN)
      // Tokens: 256 bits or more in base64url. Keeps pure hexadecimal, because certificate fingerprints are not secret.
      .replaceAll(/(?<![\w-])(?![\da-f]+(?![\w-]))[\w-]{43,}/g, HIDDEN)
  );
}
