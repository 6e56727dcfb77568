// Announces to a server which certificate its domains should soon serve. Usage: npx . expect fullchain.pem
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { certificateText } from '../contract/files/certificate-text.ts';
import { expectCertificate } from '../contract/calls/certificate.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../contract/durations.ts';
import { count } from '../contract/words.ts';
import { asUsageError, UsageError } from './check/arguments.ts';
import { printable } from './check/printable.ts';
import { answerHelp } from './help-option.ts';
import {
  CallError,
  callServer,
  type Server,
  SERVER_HELP,
  SERVER_VARIABLES,
  serverOf,
} from './remote/call-server.ts';

const HELP = `certlantern expect FILE      (npx . expect FILE)

Tells a Certlantern server that your domains should serve the certificate in FILE (PEM, DER or PKCS#7) soon, for example from
the deploy hook of an ACME client. If an address of one of them does not serve it by then, you get an alert. FILE may also have
the certificates of its issuers, in any order. It is refused if it has no certificate of a host, or several; with a private key
it is not even sent.

  --host HOST     only this domain; may be repeated. Default: every domain of the account that the certificate names
  --within TIME   30m, 2h or 1d; at most 30d. Default: 1h
  --json          the server's answer as JSON
  --help          this text

${SERVER_HELP} with the scope “write”

The exit code:
   0   the server expects it
   1   the server refused
   3   the server could not be reached
  64   the command line is not valid
`;

const USAGE_ERROR = 64;
const UNREACHABLE = 3;
const UNITS: Record<string, number> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

interface Request {
  server: Server;
  json: boolean;
  body: { pem: string; by: string; hosts?: string[] };
}

function readRequest(args: readonly string[]): Request {
  const { values, positionals } = parse(args);
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0)
    throw new UsageError('Name one file, for example: expect fullchain.pem');
  const server = serverOf(process.env);
  if (server === null) throw new UsageError(`Set ${SERVER_VARIABLES}.`);
  return {
    server,
    json: values.json === true,
    body: {
      pem: readPem(file),
      by: new Date(Date.now() + durationOf(values.within ?? '1h')).toISOString(),
      ...(values.host && { hosts: values.host }),
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        host: { type: 'string', multiple: true },
        within: { type: 'string' },
        json: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw asUsageError(error);
  }
}

function durationOf(text: string): number {
  const [, number, unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? NaN);
  if (!(ms <= 30 * DAY_MS)) throw new UsageError('--within takes 30m, 2h or 1d, at most 30d.');
  return ms;
}

/** Reads a file relative to the caller's folder, which npm passes in INIT_CWD. @throws UsageError for a file with a private key */
function readPem(file: string): string {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(resolve(process.env['INIT_CWD'] ?? process.cwd(), file));
  } catch {
    throw new UsageError(`${file} cannot be read.`);
  }
  const read = certificateText(bytes);
  if (!read.ok) throw new UsageError(`${file}: ${read.message}`);
  return read.text;
}

async function main(): Promise<number> {
  answerHelp(HELP);
  const { server, json, body } = readRequest(process.argv.slice(2));
  const data = await callServer(server, expectCertificate, body);
  process.stdout.write(json ? `${JSON.stringify(data, null, 2)}\n` : printable(textOf(data)));
  return 0;
}

function textOf(data: z.infer<typeof expectCertificate.response>['data']): string {
  const { subject, domain_count: total, waiting_count: left, waiting, due_at: dueAt } = data;
  const should = `${count(total, 'domain')} should serve ${subject} by ${dueAt}.`;
  if (left === 0) return `${should} All of them do already.\n`;
  const names = waiting.map(({ display_name: name }) => `  ${name}\n`).join('');
  const more = left > waiting.length ? `  and ${left - waiting.length} more\n` : '';
  return `${should} Not yet:\n${names}${more}`;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof CallError)) throw error;
  process.stderr.write(printable(`${error.message}\n`));
  process.exitCode = error instanceof UsageError ? USAGE_ERROR : error.isUnreachable ? UNREACHABLE : 1;
}
