import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { IMAGE, openEngine } from './engine.ts';
import { run, step } from './steps.ts';

// Makes a base image and builds the Dockerfile on it. scripts/test-image.ts starts this program in namespaces of its own.

const root = resolve(import.meta.dirname, '..', '..');
const folder = process.argv[2] ?? '';
const [, baseImage = '', nodeVersion = ''] =
  /^ARG NODE_IMAGE=(node:([\d.]+)-\S+)$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
const [, suite = ''] = /-(\w+)-slim$/.exec(baseImage) ?? [];

/** Settings of npm that decide how it reaches its registry. */
const NETWORK_SETTINGS = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'];
/** Where npm below /usr/local has its global settings. */
const SETTINGS_IN_IMAGE = '/usr/local/etc';

process.stdout.write('The build\n');
const npm = npmProgram();
const engine = await openEngine(folder);
await step(`Make the base ${baseImage} from Debian’s packages, with Node and npm`, makeBase);
const settings = await writeNpmSettings();
await step('Build the Dockerfile on it', async () => {
  // Docker's format of images, because the OCI format has no health check.
  const build = ['bud', '--isolation=chroot', '--pull-never', '--format=docker', `--tag=${IMAGE}`];
  // Mounted only while RUN commands run, so that no layer of the image contains the settings.
  await engine.buildah(...build, `--volume=${settings}:${SETTINGS_IN_IMAGE}:ro`, root);
});
const [size, base] = await Promise.all([sizeOf(IMAGE), sizeOf(baseImage)]);
process.stdout.write(`  The image has ${size} MB, ${size - base} MB more than its base.\n`);
process.exit(0);

async function sizeOf(image: string): Promise<number> {
  return Math.round(Number(await engine.podman('image', 'inspect', '--format={{.Size}}', image)) / 1e6);
}

/** Returns the npm that runs this script, else the one on PATH. */
function npmProgram(): string {
  const calling = process.env['npm_execpath'] ?? '';
  if (calling.endsWith('npm-cli.js')) return calling;
  const onPath = (process.env['PATH'] ?? '').split(':').map((place) => join(place, 'npm'));
  return realpathSync(onPath.find((path) => existsSync(path)) ?? 'npm');
}

/** Installs the project's own Node, unless boot.mjs has done so because the machine's Node is too old. Returns its path. */
async function projectNode(): Promise<string> {
  const runtime = join(root, 'scripts', 'runtime');
  const node = join(runtime, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  if (!existsSync(node))
    await run([process.execPath, npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: runtime });
  const version = await run([node, '--version']);
  if (version !== `v${nodeVersion}`)
    throw new Error(`scripts/runtime has Node ${version}, but the base of the Dockerfile is ${baseImage}.`);
  return node;
}

async function makeBase(): Promise<void> {
  const node = await projectNode();
  const container = await engine.buildah('from', 'scratch');
  const mounted = await engine.buildah('mount', container);
  await run([
    'debootstrap',
    '--variant=minbase',
    // The dynamic libraries that Node needs and a minimal Debian lacks.
    '--include=libatomic1,ca-certificates',
    suite,
    mounted,
  ]);
  for (const cache of ['var/cache/apt/archives', 'var/lib/apt/lists'])
    rmSync(join(mounted, cache), { recursive: true });
  const local = join(mounted, 'usr', 'local');
  copyFileSync(node, join(local, 'bin', 'node'));
  const modules = join(local, 'lib', 'node_modules');
  mkdirSync(modules, { recursive: true });
  cpSync(resolve(dirname(npm), '..'), join(modules, 'npm'), { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin', 'npm'));
  await engine.buildah('umount', container);
  await engine.buildah('commit', '--rm', '--format=docker', container, baseImage);
}

/** Writes this machine's settings for the npm registry into a folder that the build mounts. Returns the folder. */
async function writeNpmSettings(): Promise<string> {
  const place = join(folder, 'npm');
  mkdirSync(place);
  const get = (...names: string[]): Promise<string> =>
    run([process.execPath, npm, 'config', 'get', ...names], { cwd: root });
  const lines = [await get(...NETWORK_SETTINGS)];
  const cafile = await get('cafile');
  const authorities = cafile === 'null' ? process.env['NODE_EXTRA_CA_CERTS'] : cafile;
  if (authorities) {
    copyFileSync(authorities, join(place, 'authorities.pem'));
    lines.push(`cafile=${SETTINGS_IN_IMAGE}/authorities.pem`);
  }
  writeFileSync(join(place, 'npmrc'), `${lines.join('\n')}\n`);
  return place;
}
