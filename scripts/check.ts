// Checks hosts from the command line with the server's engine, without its database. Usage: npm run check -- HOST…
import { HELP, readArguments } from './check/arguments.ts';
import { type Checked, checkEndpoint, exitCode, reportOf } from './check/check-endpoint.ts';
import { createChecker, readOwnConfig, reportArguments, runCommand } from './check/create-checker.ts';
import { jsonReport } from './check/json-report.ts';
import { printable, printableJson } from './check/printable.ts';
import { showProgress } from './check/progress.ts';
import { textReport } from './check/text-report.ts';
import { displayName } from '../server/core/endpoint.ts';
import { reportMarkdown } from '../server/core/report/report.ts';

const CONCURRENCY = 16;

async function main(): Promise<number> {
  const own = readOwnConfig();
  const { help, format, endpoints, refused, repeated, ownAuthorities } = readArguments(
    process.argv.slice(2),
    own.policy,
    own.folder,
  );
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  reportArguments({ refused, repeated });
  const { probe, sources, trustStore, logLists } = createChecker(own, ownAuthorities);
  const { signal } = new AbortController();

  const progress = showProgress(endpoints.map(displayName), process.stderr);
  const pending = endpoints.map((_, index) => index);
  const results = endpoints.map(() => Promise.withResolvers<Checked>());
  const runWorker = async (): Promise<void> => {
    for (let index = pending.shift(); index !== undefined; index = pending.shift()) {
      const endpoint = endpoints[index];
      if (endpoint === undefined) return;
      const onSlow = (): void => progress.slow(displayName(endpoint), endpoint.protocol);
      const checked = await checkEndpoint(endpoint, { probe, trustStore, logLists, signal, onSlow });
      progress.done(checked.host);
      results[index]?.resolve(checked);
    }
  };
  const workers = Promise.all(Array.from({ length: CONCURRENCY }, runWorker));

  const done: Checked[] = [];
  for (const { promise } of results) {
    const checked = await Promise.race([promise, workers.then(() => promise)]);
    done.push(checked);
    if (format === 'json') continue;
    progress.clear();
    process.stdout.write(reportText(checked, format));
  }
  progress.clear();
  if (format === 'json')
    process.stdout.write(`${printableJson(done.map((one) => jsonReport(one, Date.now())))}\n`);
  sources.close();
  return refused.length > 0 ? 3 : exitCode(done);
}

function reportText(checked: Checked, format: 'text' | 'markdown'): string {
  if (format === 'markdown') return printable(`${reportMarkdown(reportOf(checked, Date.now()))}\n`);
  return `${textReport(checked, Date.now(), process.stdout.isTTY && process.stdout.hasColors())}\n`;
}

await runCommand('check', main);
