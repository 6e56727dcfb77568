import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepReport } from '../tests/image/steps.ts';
import { installPackages } from '../tests/kit/machine/debian-package.ts';
import { answerHelp } from './help-option.ts';

answerHelp(`Builds the image of the Dockerfile with buildah, on a base made from Debian's packages, and runs it with Podman, as
1000:1000 on a read-only root: first one process with the embedded database, then ROLE=api and two ROLE=worker on PostgreSQL.
In both, a person signs up, a check reads a certificate, mails arrive, and everything is still there after a restart. It needs
root on Debian, because it installs packages and creates namespaces. It is not part of npm test.

  npm run test:image`);

const PACKAGES = [
  'buildah',
  'crun',
  'debian-archive-keyring',
  'debootstrap',
  'iproute2',
  'podman',
  'postgresql',
];

// All processes and mounts of a phase end with its first process, even after a crash: the kernel ends these namespaces.
const OWN_NAMESPACES = ['--mount', '--pid', '--ipc', '--mount-proc', '--kill-child'];
/** The build needs the package registries. The containers and their peers have only a loopback interface. */
const PHASES = [
  { file: 'build-image.ts', namespaces: OWN_NAMESPACES },
  { file: 'run-image.ts', namespaces: [...OWN_NAMESPACES, '--net'] },
];

const missing = missingPrerequisite();
if (missing !== null) {
  process.stderr.write(`npm run test:image ${missing}.\n`);
  process.exit(1);
}

let running: ChildProcess | null = null;
let isInterrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isInterrupted = true;
    // A phase ends when its parent disconnects.
    if (running?.connected === true) running.disconnect();
  });

// Users other than root must be able to read the base system and the files for the containers.
process.umask(0o022);
const count = { passed: 0, failed: 0 };
const folder = mkdtempSync(join(tmpdir(), 'certlantern-image-test-'));
// The database server runs as another user and keeps its data below this folder.
chmodSync(folder, 0o755);
try {
  installPackages(PACKAGES);
  for (const { file, namespaces } of PHASES)
    if (!isInterrupted && count.failed === 0) await runPhase(file, namespaces);
} catch (error) {
  count.failed++;
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (isInterrupted) {
  count.failed++;
  process.stderr.write('\nInterrupted.\n');
}
process.stdout.write(`${count.passed} passed, ${count.failed} failed\n`);
process.exit(count.failed > 0 ? 1 : 0);

function missingPrerequisite(): string | null {
  if (process.platform !== 'linux' || !existsSync('/etc/debian_version')) return 'runs only on Debian';
  if (process.getuid?.() !== 0) return 'needs root, because it installs packages and creates namespaces';
  if (!['x64', 'arm64'].includes(process.arch))
    return `runs only on x64 and arm64, because there is no Node package for ${process.arch}`;
  if (spawnSync('unshare', [...OWN_NAMESPACES, '--net', 'true']).status !== 0)
    return 'needs the right to create namespaces (in Docker: --privileged)';
  return null;
}

/** Runs a program of tests/image in namespaces of its own and counts its steps. */
async function runPhase(file: string, namespaces: readonly string[]): Promise<void> {
  const failedBefore = count.failed;
  const phase = fork(join(import.meta.dirname, '..', 'tests', 'image', file), [folder], {
    execPath: 'unshare',
    execArgv: [...namespaces, process.execPath],
    env: { ...process.env, TMPDIR: folder },
    // Runs in a session of its own, so that Ctrl+C reaches only this process, which then ends the phase.
    detached: true,
  });
  running = phase;
  phase.on('message', ({ hasPassed }: StepReport) => count[hasPassed ? 'passed' : 'failed']++);
  const [code, signal] = (await once(phase, 'exit')) as [number | null, string | null];
  running = null;
  if (code === 0 || isInterrupted || count.failed > failedBefore) return;
  throw new Error(`${file} ended with ${code ?? signal} before its last step.`);
}
