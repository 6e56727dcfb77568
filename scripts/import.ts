// Adds the hosts of an Uptime Kuma database, or of a list, to an account. Usage: npx . import kuma.db
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { importDomains, previewImport } from '../contract/calls/domain-import.ts';
import type { ImportEntry, ImportPreview } from '../contract/domain-import.ts';
import { type DecodedFile, fileText } from '../contract/files/file-text.ts';
import { count, IMPORT_SIZE } from '../contract/words.ts';
import { displayName, normaliseEndpoint } from '../server/core/endpoint.ts';
import { truncatedLine } from '../server/core/one-line.ts';
import { identityKey } from '../server/core/target.ts';
import {
  entriesOf,
  hasTarget,
  notAdded,
  planImport,
  type PlannedLine,
  remaining,
  type Results,
  verdictOf,
  withAnswers,
} from '../web/features/domain-import/import-plan.ts';
import { kumaLines } from '../web/features/domain-import/kuma-monitors.ts';
import { parseImport } from '../web/features/domain-import/parse-import.ts';
import { type ParsedImport, recognisedText } from '../web/features/domain-import/parsed-import.ts';
import { asUsageError, UsageError } from './check/arguments.ts';
import { printable } from './check/printable.ts';
import { answerHelp } from './help-option.ts';
import { isDatabase, KumaDatabaseError, readKumaDatabase } from './import/kuma-database.ts';
import {
  CallError,
  callServer,
  type Server,
  SERVER_HELP,
  SERVER_VARIABLES,
  serverOf,
} from './remote/call-server.ts';

const HELP = `certlantern import FILE      (npx . import FILE)

Adds the hosts in FILE to an account: the kuma.db of Uptime Kuma (version 1 or 2, also while it runs; it is not changed), its
JSON backup, or a list of hosts, CSV or JSON. First shows what each line becomes, and what cannot be carried over and why. Asks
before it adds anything. Passwords in the URLs of Uptime Kuma are not sent.

  --yes           adds without asking. Without a terminal and without --yes, only shows the preview
  --help          this text

Without these variables, only shows the preview:

${SERVER_HELP} with the scopes “read” and “write”

The exit code:
   0   everything was added, there was nothing to add, or only the preview was shown
   1   the server refused, or some hosts were not added
   3   the server could not be reached
  64   the command line or FILE is not valid
`;

const USAGE_ERROR = 64;
const UNREACHABLE = 3;
const INTERRUPTED = 130;

type Readable = Extract<ParsedImport, { ok: true }> & { encoding?: DecodedFile['encoding'] };

async function main(): Promise<number> {
  answerHelp(HELP);
  const { file, isConfirmed } = readCommand(process.argv.slice(2));
  const server = serverOf(process.env);
  if (server === null && isConfirmed) throw new UsageError(`Set ${SERVER_VARIABLES}.`);
  // npm runs scripts in the project's folder and passes the caller's folder in INIT_CWD.
  const parsed = readLines(resolve(process.env['INIT_CWD'] ?? process.cwd(), file));
  const plan = await previewOf(parsed, server);
  write(`${recognisedText(parsed, parsed.encoding)}.\n\n${plan.map(lineOf).join('')}\n`);
  const wanted = remaining(plan, new Map()).length;
  if (wanted === 0) {
    write('There is nothing to add.\n');
    return 0;
  }
  if (server === null) {
    write(`${count(wanted, 'domain')} can be added. Set ${SERVER_VARIABLES} to add them.\n`);
    return 0;
  }
  if (!isConfirmed && !(await isAgreed(wanted))) {
    write('Nothing was added.\n');
    return 0;
  }
  return add(plan, server);
}

function readCommand(args: readonly string[]): { file: string; isConfirmed: boolean } {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { yes: { type: 'boolean' } },
    });
    const [file, ...more] = positionals;
    if (file !== undefined && more.length === 0) return { file, isConfirmed: values.yes === true };
  } catch (error) {
    throw asUsageError(error);
  }
  throw new UsageError('Name one file, for example: import kuma.db');
}

function readLines(path: string): Readable {
  try {
    if (isDatabase(path)) {
      const lines = readKumaDatabase(path).flatMap((monitor, index) => kumaLines(monitor, index + 1));
      return { ok: true, format: 'uptime-kuma', lines, titleLines: 0 };
    }
    return readText(path, readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof UsageError || error instanceof KumaDatabaseError || code === undefined) throw error;
    throw new UsageError(`${path} cannot be read (${code}).`);
  }
}

function readText(path: string, bytes: Uint8Array): Readable {
  const decoded = fileText(bytes);
  if (decoded === null) throw new UsageError(`${path} is neither a database of Uptime Kuma nor text.`);
  const parsed = parseImport(decoded.text);
  if (!parsed.ok) throw new UsageError(`${path}: ${parsed.message}`);
  return { ...parsed, encoding: decoded.encoding };
}

/** Returns what will happen to each line: what the server predicts or, without a server, whether the host of the line is valid. */
async function previewOf({ lines }: Readable, server: Server | null): Promise<PlannedLine[]> {
  const entries = entriesOf(lines);
  if (server === null) return planImport(lines, entries.map(localAnswer), null);
  const answers: ImportPreview['entries'] = [];
  let room: number | null = null;
  for (let from = 0; from < entries.length; from += IMPORT_SIZE) {
    const preview = await callServer(server, previewImport, {
      entries: entries.slice(from, from + IMPORT_SIZE),
    });
    answers.push(...preview.entries);
    ({ room } = preview);
  }
  return planImport(lines, answers, room);
}

function localAnswer({ host, ...target }: ImportEntry): ImportPreview['entries'][number] {
  const read = normaliseEndpoint(host, { permitsAddress: () => true, permitsLocalNames: true }, target);
  if (!read.ok) return { outcome: 'invalid', endpoint: null, display_name: null, message: read.message };
  const { endpoint } = read;
  return {
    outcome: 'new',
    endpoint: identityKey(endpoint),
    display_name: displayName(endpoint),
    message: null,
  };
}

function lineOf(line: PlannedLine): string {
  const { text, detail } = verdictOf(line, undefined);
  const what = detail === null ? text : `${text}. ${detail}`;
  const host = line.entry !== null && hasTarget(line.entry) ? (line.name ?? line.text) : line.text;
  return `${String(line.line).padStart(5)}  ${truncatedLine(host, 500).padEnd(40)}  ${truncatedLine(what, 500)}\n`;
}

async function isAgreed(wanted: number): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    write('Add --yes to add them without a question. ');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Add ${count(wanted, 'domain')}? [y/N] `);
  terminal.close();
  return /^y(?:es)?$/i.test(answer.trim());
}

async function add(plan: readonly PlannedLine[], server: Server): Promise<number> {
  let results: Results = new Map();
  const all = remaining(plan, results);
  try {
    for (let from = 0; from < all.length; from += IMPORT_SIZE) {
      const indices = all.slice(from, from + IMPORT_SIZE);
      const entries = indices.flatMap((index) => plan[index]?.entry ?? []);
      results = withAnswers(results, indices, await callServer(server, importDomains, { entries }));
    }
  } finally {
    const added = [...results.values()].filter(({ kind }) => kind === 'added').length;
    write(`${added} of ${count(all.length, 'domain')} added.\n`);
  }
  const failed = all.filter((index) => results.get(index)?.kind !== 'added');
  if (failed.length === 0) return 0;
  write(`\nNot added:\n${notAdded(plan, results)}\n`);
  return 1;
}

/** Writes text without control characters, because it may quote the imported file. */
function write(text: string): void {
  process.stdout.write(printable(text));
}

// Exit when the reader closes the pipe, as `| head` does.
process.stdout.once('error', () => process.exit(INTERRUPTED));

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof KumaDatabaseError || error instanceof CallError))
    throw error;
  process.stderr.write(printable(`${error.message}\n`));
  process.exitCode = !(error instanceof CallError) ? USAGE_ERROR : error.isUnreachable ? UNREACHABLE : 1;
}
