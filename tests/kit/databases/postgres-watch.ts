// Runs one PostgreSQL server while standard input is open, then stops it and removes its folder. The test process holds the other
// end of that pipe, which closes however the process dies, even by kill -9.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';

interface Order {
  program: string;
  data: string;
  home: string;
  owner: { uid: number; gid: number } | null;
  settings: Record<string, string | number>;
}

const { program, data, home, owner, settings } = JSON.parse(process.argv[2] ?? '') as Order;
const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
const server = spawn(program, ['-D', data, ...flags], {
  ...owner,
  cwd: home,
  stdio: ['ignore', 'ignore', 'pipe'],
});
server.stderr.pipe(process.stdout);
// If the tests have died, nobody reads the log, so discard it.
process.stdout.on('error', () => server.stderr.resume());

function leave(): void {
  rmSync(home, { recursive: true, force: true });
  process.exit(0);
}
server.on('error', leave);
server.on('exit', leave);
// SIGQUIT stops the server at once. Its data is not needed any more.
process.stdin.on('end', () => server.kill('SIGQUIT')).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => server.kill('SIGQUIT'));
