import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { afterBuild } from './after-build.ts';

/** The file with the notices, in the folder of the built web app. */
const NOTICES_FILE = 'licenses.txt';

interface Manifest {
  name: string;
  version: string;
  license?: string;
  author?: string | { name: string };
}

interface Notice extends Manifest {
  /** Text of the package's licence file; null if it has none. */
  text: string | null;
}

/**
 * Creates a plugin that writes the licences of all packages of which the build contains code, styles or fonts. Vite's `build.license`
 * leaves out packages that only style sheets import, such as fonts.
 */
export function thirdPartyNotices(): Plugin {
  return afterBuild('third-party-notices', async ({ root, outDir, chunks }) => {
    const styles = await readFile(join(root, 'styles/main.css'), 'utf8');
    const folders = new Set([
      ...chunks.flatMap(({ moduleIds }) => moduleIds).flatMap(packageFolder),
      ...Array.from(styles.matchAll(/@import '((?:@[\w-]+\/)?[\w-]+)/g), ([, name = '']) =>
        join(root, '../node_modules', name),
      ),
    ]);
    const notices = await Promise.all([...folders].map(readNotice));
    await writeFile(join(outDir, NOTICES_FILE), noticesText(notices));
  });
}

/** Returns the folder of the package that a module belongs to; none for our own modules and those of the bundler. */
function packageFolder(moduleId: string): string[] {
  const [, folder] = /^(\/.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(moduleId.replaceAll('\\', '/')) ?? [];
  return folder === undefined ? [] : [folder];
}

async function readNotice(folder: string): Promise<Notice> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
  const file = (await readdir(folder)).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  return { ...manifest, text: file === undefined ? null : await readFile(join(folder, file), 'utf8') };
}

/**
 * Returns the notices sorted by package, with equal texts only once. A package without a licence file refers to another
 * package with the same licence.
 */
function noticesText(notices: readonly Notice[]): string {
  const sorted = notices.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const groups = [...Map.groupBy(sorted, ({ name, text }) => text?.trim() ?? name).values()];
  return groups
    .map((group) => {
      const names = group.map(({ name, version, license }) => `${name} ${version} (${license})`).join('\n');
      return `${names}\n\n${licenceText(group, sorted)}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceText([first]: readonly Notice[], all: readonly Notice[]): string {
  if (first === undefined || first.text !== null) return (first?.text ?? '').trim();
  const { name, license, author } = first;
  const other = all.find((one) => one.license === license && one.text !== null);
  if (other === undefined)
    throw new Error(`${name} has no licence file, and no other package has its licence`);
  const by = typeof author === 'object' ? author.name : (author ?? `the authors of ${name}`);
  return `Copyright ${by}. Its package has no licence file; the terms are those of ${other.name} in this file.`;
}
