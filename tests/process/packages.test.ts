import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importsOf } from '../../scripts/house/imports.ts';
import { freePort } from '../kit/product/app.ts';
import { installDebianPackage } from '../kit/machine/debian-package.ts';
import { assembleImage, type Image } from '../kit/product/image.ts';

const root = resolve(import.meta.dirname, '..', '..');

describe('The image that the Dockerfile builds', () => {
  let image: Image;
  let port: string;
  let server: ReturnType<Image['run']>;
  beforeAll(async () => {
    image = assembleImage();
    port = String(await freePort());
    server = image.run(image.command, { PORT: port });
    await server.waitForOutput('is ready at');
  });
  afterAll(() => {
    server?.process.kill('SIGKILL');
    image?.remove();
  });

  it('contains no tools for tests or builds, and no secrets', () => {
    const names = image.packages.map((path) => path.replace(/.*node_modules\//, ''));
    for (const tool of ['vite', 'vitest', 'react', 'typescript', 'playwright', 'oxlint'])
      expect(names).not.toContain(tool);
    for (const path of ['.env', '.git', 'data', 'tests', 'web', 'bench'])
      expect(existsSync(join(image.folder, path)), path).toBe(false);
  });

  it('serves the licences of the packages and fonts in the pages', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/licenses.txt`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const notices = await answer.text();
    const listed = Array.from(notices.matchAll(/^(\S+) \d\S* \(/gm), ([, name = '']) => name);
    const imported = globSync('web/**/*.{ts,tsx}', { cwd: root })
      .filter((path) => !/\.test\.|^web\/build\/|\.d\.ts$/.test(path))
      .flatMap(importsOf)
      .filter(({ to, typeOnly }) => !typeOnly && /^@?[a-z]/.test(to) && !/^(?:web|contract|node:)/.test(to))
      // `radix-ui` only re-exports the packages `@radix-ui/…`, so the pages contain their code and list their licences. Expect one of them.
      .map(({ to }) => (to === 'radix-ui' ? '@radix-ui/react-dialog' : to));
    const fonts = readdirSync(join(image.folder, 'dist/web/assets')).filter((name) => /\.woff2?$/.test(name));
    const families = fonts.map(
      (name) => `@fontsource-variable/${/^(?:jetbrains-mono|[a-z]+)/.exec(name)?.[0]}`,
    );
    expect(fonts).not.toEqual([]);
    expect(listed).toEqual(expect.arrayContaining(['tailwindcss', ...imported, ...families]));
    for (const text of ['SIL OPEN FONT LICENSE', 'Apache License', 'Permission is hereby granted'])
      expect(notices).toContain(text);
  });

  it('has the licence of each package of the server', () => {
    const without = image.packages.filter(
      (path) => !readdirSync(join(image.folder, path)).some((name) => /^(?:licen[cs]e|readme)/i.test(name)),
    );
    expect(without).toEqual([]);
  });

  it('serves pages and health checks as a user that can write only the data folder', async () => {
    const page = await fetch(`http://127.0.0.1:${port}/`);
    expect(await page.text()).toContain('<!doctype html>');
    expect((await fetch(`http://127.0.0.1:${port}/api/health/ready`)).status).toBe(200);
  });

  it('has a health check that passes while the server is ready and fails without it', async () => {
    expect(await image.run(image.healthCheck, { PORT: port }).ended).toBe(0);
    const nowhere = image.run(image.healthCheck, { PORT: String(await freePort()) });
    expect(await nowhere.ended).toBe(1);
    expect(nowhere.output()).toContain('ECONNREFUSED');
  });

  it('has the admin commands, which install and build nothing', async () => {
    const admin = image.run(['node', 'scripts/boot.mjs', 'scripts/admin.ts', 'accounts'], { PORT: port });
    expect({ code: await admin.ended, output: admin.output() }).toMatchObject({ code: 0 });
    expect(admin.output()).not.toContain('Installing');
  });

  it('stops with exit code 0 on SIGTERM', async () => {
    server.process.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });
});

const hasSystemd = (): boolean => spawnSync('systemd-analyze', ['--version']).status === 0;

// systemd exists on Linux only; on Debian it is installed if it is missing.
describe.runIf(process.platform === 'linux' && (hasSystemd() || installDebianPackage('systemd')))(
  'The systemd unit',
  () => {
    let folder: string;
    let unit: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'certlantern-unit-'));
      unit = join(folder, 'certlantern.service');
      // Uses the paths of this machine, because systemd checks that the program exists.
      const text = readFileSync(join(root, 'deploy', 'systemd', 'certlantern.service'), 'utf8');
      writeFileSync(
        unit,
        text.replaceAll('/usr/bin/node', process.execPath).replaceAll('/opt/certlantern', root),
      );
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    const analyze = (...args: string[]): { status: number | null; said: string } => {
      const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      return { status, said: stdout + stderr };
    };

    it('passes systemd-analyze verify', () => {
      expect(analyze('verify', '--man=no', unit)).toEqual({ status: 0, said: '' });
    });

    it('has a systemd-analyze exposure of at most 1.5 out of 10', () => {
      expect(analyze('security', '--offline=true', '--threshold=15', '--no-pager', unit)).toMatchObject({
        status: 0,
      });
    });
  },
);
