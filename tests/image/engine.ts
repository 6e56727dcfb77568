import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { attempt, type Ended, lastLines, run } from './steps.ts';

export const IMAGE = 'localhost/certlantern:latest';

/** buildah and Podman, with images, containers and volumes below one folder, so that those of this machine stay unchanged. */
export interface Engine {
  buildah(...args: string[]): Promise<string>;
  podman(...args: string[]): Promise<string>;
  /** Starts a container of the image with these variables. Resolves when the image's health check passes in it. */
  start(options: ContainerOptions): Promise<Container>;
  /** Runs the image with these variables until it ends; resolves with its output. @throws Error unless it ends with 0. */
  runToEnd(options: ContainerOptions): Promise<string>;
}

interface ContainerOptions {
  name: string;
  /** Name of the volume at /data. */
  volume: string;
  env: Record<string, string>;
  /** Additional files: path here → path in the container. */
  files: Record<string, string>;
}

export interface Container {
  name: string;
  /** Runs a command in the container, as the image's user unless another one is given. */
  exec(command: readonly string[], user?: string): Promise<Ended>;
  /**
   * Stops the container like `docker stop`: SIGTERM, and SIGKILL after 20 s. Resolves with its exit code, even if it had
   * ended before.
   */
  stop(): Promise<number | null>;
  output(): string;
}

/** The restrictions of deploy/compose/compose.yaml, except the limits that need control groups. */
const RESTRICTIONS = [
  '--read-only',
  // As with Docker, temporary file systems are mounted only where an option says so.
  '--read-only-tmpfs=false',
  '--tmpfs=/tmp:mode=1777,size=64m',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
];

/** Options that Podman needs on machines without systemd, with both versions of control groups, or with low limits. */
const FOR_ODD_MACHINES = [
  '--cgroups=disabled',
  '--no-healthcheck',
  '--ulimit=nofile=4096:4096',
  '--ulimit=nproc=8192:8192',
  '--log-driver=none',
];

const START_MS = 60_000;

/** Opens the storage below `folder`. Call it once per process, in a mount namespace of its own. */
export async function openEngine(folder: string): Promise<Engine> {
  // Wherever their storage is, both programs keep a cache in this folder, and Podman keeps its locks in shared memory.
  const cache = join(folder, 'cache');
  for (const path of [cache, '/var/lib/containers']) mkdirSync(path, { recursive: true });
  await run(['mount', '--bind', cache, '/var/lib/containers']);
  await run(['mount', '-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', '/dev/shm']);

  const places = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];
  const withDriver = (driver: string): string[] => [...places, '--storage-driver', driver];
  // A container's own file system is often an overlay, and the kernel refuses an overlay on an overlay.
  const { code } = await attempt(['buildah', ...withDriver('overlay'), 'info']);
  const storage = withDriver(code === 0 ? 'overlay' : 'vfs');
  const podmanCommand = [
    'podman',
    ...storage,
    `--tmpdir=${join(folder, 'libpod')}`,
    '--runtime=crun',
    '--cgroup-manager=cgroupfs',
    '--events-backend=none',
  ];
  const podman = (...args: string[]): Promise<string> => run([...podmanCommand, ...args]);
  const runCommand = ({ name, volume, env, files }: ContainerOptions): string[] => [
    ...podmanCommand,
    'run',
    '--rm',
    '--pull=never',
    `--name=${name}`,
    // Uses the network namespace of this process.
    '--network=host',
    ...RESTRICTIONS,
    ...FOR_ODD_MACHINES,
    `--volume=${volume}:/data`,
    ...Object.entries(files).map(([here, there]) => `--volume=${here}:${there}:ro`),
    ...Object.entries(env).map(([variable, value]) => `--env=${variable}=${value}`),
    IMAGE,
  ];

  return {
    buildah: (...args) => run(['buildah', ...storage, ...args]),
    podman,
    runToEnd: (options) => run(runCommand(options)),
    async start(options) {
      const [program = '', ...args] = runCommand(options);
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(child, 'close').then(([code]) => code as number | null);
      const container: Container = {
        name: options.name,
        output: () => output,
        exec: (command, user) =>
          attempt([
            ...podmanCommand,
            'exec',
            ...(user === undefined ? [] : [`--user=${user}`]),
            options.name,
            ...command,
          ]),
        async stop() {
          if (child.exitCode === null) await podman('stop', '--time=20', options.name);
          return ended;
        },
      };
      const healthCheck = JSON.parse(
        await podman('image', 'inspect', '--format={{json .HealthCheck.Test}}', IMAGE),
      ) as string[];
      const deadline = performance.now() + START_MS;
      for (;;) {
        const { code, output: said } = await container.exec(healthCheck.slice(1));
        if (code === 0) return container;
        if (child.exitCode !== null)
          throw new Error(`${options.name} ended with ${child.exitCode}:\n${lastLines(output)}`);
        if (performance.now() > deadline)
          throw new Error(
            `${options.name} is not healthy after ${START_MS / 1000} s:\n${lastLines(said + output)}`,
          );
        await delay(200);
      }
    },
  };
}
