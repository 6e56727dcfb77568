import pino, { type Logger } from 'pino';
import { fieldsNow } from './doing.ts';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** The program's log: JSON lines, each with the ids of what was being done, none with a secret. `fd`: 2 is standard error. */
export function createLog(level: LogLevel, fd = 2): Logger {
  return pino(
    {
      level,
      mixin: fieldsNow,
      serializers: { err: errorWithoutValues },
      hooks: { streamWrite: withoutSecrets },
    },
    pino.destination(fd),
  );
}

/** Facts of errors that are words of programs. Others may quote values: PostgreSQL's `detail` has whole rows. */
const TOLD = ['code', 'errcode', 'syscall', 'constraint', 'table', 'status', 'responseCode'] as const;
const DEEPEST = 4;

function errorWithoutValues(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const facts = TOLD.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
  });
  const causes = error instanceof AggregateError ? error.errors.slice(0, 3) : [error.cause];
  const known = depth < DEEPEST ? causes.filter((cause) => cause instanceof Error) : [];
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
 * Hides what looks like a secret in a finished line of the log, because messages of errors quote what they are about. The line stays
 * JSON: no pattern matches a quote or a backslash.
 */
export function withoutSecrets(line: string): string {
  return (
    line
      .replaceAll(/:\/\/[^\s/@"\\]+@/g, `://${HIDDEN}@`)
      .replaceAll(/\b(bearer|basic)\s+[\w.~+/=-]+/gi, `$1 ${HIDDEN}`)
      .replaceAll(/([?&](?:token|key|code|state|secret|password)=)[^&\s"\\]+/gi, `$1${HIDDEN}`)
      .replaceAll(/\bclt_[\w-]+/g, HIDDEN)
      .replaceAll(/(?<!\d)\d{6,}:[\w-]{30,}/g, HIDDEN)
      // 256 bits or more in base64url. Fingerprints are hexadecimal and no secrets.
      .replaceAll(/(?<![\w-])(?![\da-f]+(?![\w-]))[\w-]{43,}/g, HIDDEN)
  );
}
