import { join, relative } from 'node:path';
import { missingReport, type Outcome, readReport } from './outcome.ts';
import { runCommand, toolPath } from './run-command.ts';

interface VitestReport {
  numPassedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    status: 'passed' | 'failed';
    message: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

export interface VitestRun {
  projects: string[];
  /** Number of workers. Vitest's default, processors minus one, leaves one of two processors idle. */
  workers: number;
  shard: string | null;
  /** Test files to run; undefined for all of the projects. */
  files?: string[];
  /** Folder to write the report to. */
  scratch: string;
}

/** Runs Vitest projects. */
export async function runVitest(run: VitestRun): Promise<Outcome> {
  const { projects, workers, shard, files = [], scratch } = run;
  const file = join(scratch, `${projects.join('-')}.json`);
  const good = await runCommand([
    toolPath('vitest'),
    'run',
    ...files,
    ...projects.flatMap((project) => ['--project', project]),
    `--maxWorkers=${workers}`,
    ...(shard === null ? [] : [`--shard=${shard}`]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  const report = readReport(file) as VitestReport | null;
  if (!report) return missingReport(`vitest ${projects.join(', ')}`);
  const failures = report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(process.cwd(), name);
    const titles = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName);
    // If a test file failed to load, it has no tests, so report the error of the file.
    return status === 'failed' && titles.length === 0
      ? [`${file}: ${message}`]
      : titles.map((title) => `${file} › ${title}`);
  });
  if (!good && failures.length === 0)
    failures.push(`vitest ${projects.join(', ')}: an error outside all tests`);
  return {
    passed: report.numPassedTests,
    skipped: report.numPendingTests + report.numTodoTests,
    flaky: 0,
    failures,
  };
}
