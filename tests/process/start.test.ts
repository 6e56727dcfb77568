import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type App,
  COMPILE_CACHE,
  freePort,
  runServer,
  startApp,
  temporaryFolder,
} from '../kit/product/app.ts';

const root = resolve(import.meta.dirname, '..', '..');
let folder: ReturnType<typeof temporaryFolder>;
let running: App[] = [];

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await Promise.all(running.map((app) => app.kill()));
  running = [];
  folder.remove();
});

async function start(env: Record<string, string> = {}): Promise<App> {
  const app = await startApp({ DATA_DIR: join(folder.path, 'data'), ...env });
  running.push(app);
  return app;
}

/** Returns the single line that a refused start prints. */
async function refusal(env: Record<string, string>): Promise<string> {
  const { code, stderr } = await runServer(env);
  expect(code).toBe(1);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return stderr;
}

describe('A server that was started without configuration', () => {
  let data: ReturnType<typeof temporaryFolder>;
  let app: App;
  beforeAll(async () => {
    data = temporaryFolder();
    app = await startApp({ DATA_DIR: data.path });
  });
  afterAll(async () => {
    await app.kill();
    data.remove();
  });

  it('prints the address, the mail page and the demo command, and serves requests', async () => {
    expect(app.output()).toContain(`is ready at ${app.url}`);
    expect(app.output()).toContain(`${app.url}/dev/mail?key=`);
    expect(app.output()).toContain('npm run demo');
    expect((await fetch(`${app.url}/api/health`)).status).toBe(200);
    expect((await fetch(app.mailUrl ?? '')).status).toBe(200);
  });

  it('refuses the start of another process on its DATA_DIR, and is not disturbed by it', async () => {
    const line = await refusal({ DATA_DIR: app.dataDir, PORT: String(await freePort()) });
    expect(line).toContain('DATA_DIR');
    expect((await fetch(`${app.url}/api/health`)).status).toBe(200);
  });

  it('stops cleanly on SIGTERM while a keep-alive connection is open', async () => {
    const idle = await fetch(`${app.url}/api/health`, { headers: { connection: 'keep-alive' } });
    await idle.text();
    expect(await app.stop()).toBe(0);
  });
});

describe('A restart', () => {
  it('keeps the secrets, which only the owner can read', async () => {
    const first = await start();
    const path = join(first.dataDir, 'secrets.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const before = readFileSync(path, 'utf8');
    expect(await first.stop()).toBe(0);
    await start();
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('succeeds after a kill -9', async () => {
    const first = await start();
    await first.kill();
    const again = await start();
    expect((await fetch(`${again.url}/api/health`)).status).toBe(200);
  });
});

describe('A failing start', () => {
  it('names a port in use and suggests another', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    const line = await refusal({ DATA_DIR: join(folder.path, 'data'), PORT: port });
    expect(line).toContain(`Port ${port} is in use`);
    expect(line).toContain('PORT=');
    other.close();
  });

  it('names a DATA_DIR that cannot be written', async () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    expect(await refusal({ DATA_DIR: join(file, 'data'), PORT: '0' })).toContain('DATA_DIR');
  });

  it.runIf(process.platform === 'linux')('names a DATA_DIR in which no folder can be created', async () => {
    expect(await refusal({ DATA_DIR: '/proc/certlantern/data', PORT: '0' })).toContain('DATA_DIR');
  });

  it('names an unreachable database without its password', async () => {
    const line = await refusal({
      DATA_DIR: join(folder.path, 'data'),
      DATABASE_URL: `postgres://watch:hunter2@127.0.0.1:${await freePort()}/certlantern`,
      PORT: '0',
    });
    expect(line).toContain('DATABASE_URL');
    expect(line).not.toContain('hunter2');
  });

  it('names a variable with an invalid value', async () => {
    expect(await refusal({ DATA_DIR: join(folder.path, 'data'), PORT: 'http' })).toContain('PORT');
    expect(await refusal({ DATA_DIR: join(folder.path, 'data'), SIGNUPS: 'maybe' })).toContain('SIGNUPS');
    const SMTP_URL = 'smtp://alerts:hunter2@mail.example?ignoreTLS=true';
    const line = await refusal({ DATA_DIR: join(folder.path, 'data'), SMTP_URL });
    expect(line).toContain('SMTP_URL accepts only the option ?tls=opportunistic');
    expect(line).not.toContain('hunter2');
  });

  it('names the sources in the stack of an unexpected error', async () => {
    const broken = `data:text/javascript,process.on=()=>{throw(Error('broken'))}`;
    const { code, stderr } = await runServer({
      DATA_DIR: folder.path,
      NODE_OPTIONS: `--import "${broken}"`,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Error: broken\n[^]* at .*main\b.*server\/main\.ts:\d+:\d+/);
  });

  it('names an EXTRA_CA_FILE without a valid certificate', async () => {
    const file = join(folder.path, 'anchors.pem');
    for (const body of ['Zm9v\n-----END CERTIFICATE-----\n', '']) {
      writeFileSync(file, `-----BEGIN CERTIFICATE-----\n${body}`);
      const env = { DATA_DIR: join(folder.path, 'data'), PORT: '0', EXTRA_CA_FILE: file };
      expect(await refusal(env)).toContain('EXTRA_CA_FILE');
    }
  });

  it('names an unusable lock in DATA_DIR, and does not blame another process', async () => {
    mkdirSync(join(folder.path, 'data', 'process.lock'), { recursive: true });
    const line = await refusal({ DATA_DIR: join(folder.path, 'data'), PORT: '0' });
    expect(line).toContain('process.lock');
    expect(line).not.toContain('Another process');
  });

  it('names damaged secrets instead of creating new ones', async () => {
    const file = join(folder.path, 'secrets.json');
    writeFileSync(file, '{');
    expect(await refusal({ DATA_DIR: folder.path, PORT: '0' })).toContain('secrets.json');
    expect(readFileSync(file, 'utf8')).toBe('{');
  });
});

describe('The server', () => {
  it('stops cleanly while its start waits for the database', async () => {
    const server = spawn(process.execPath, [join(root, 'server', 'main.ts')], {
      env: {
        PATH: process.env['PATH'],
        ...COMPILE_CACHE,
        DATA_DIR: join(folder.path, 'data'),
        DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(server, 'exit');
    await once(server.stdout, 'data');
    server.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });

  it('stops with the boot script that started it', async () => {
    const dataDir = join(folder.path, 'data');
    const port = String(await freePort());
    const boot = spawn(process.execPath, [join(root, 'scripts', 'boot.mjs'), 'server/main.ts'], {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: port },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    for await (const chunk of boot.stdout) {
      output += String(chunk);
      if (output.includes('npm run demo')) break;
    }
    boot.kill('SIGKILL');
    await once(boot, 'exit');
    // Once the server of the killed boot script has stopped, the data folder is free again.
    await expect
      .poll(async () => (await runServer({ DATA_DIR: dataDir, PORT: port, ROLE: 'migrate' })).code)
      .toBe(0);
    expect(existsSync(join(dataDir, 'secrets.json'))).toBe(true);
  });
});
