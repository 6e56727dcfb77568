import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { importsOf, ROOT, withoutComments } from './imports.ts';

const SOURCE_FOLDERS = ['contract', 'server', 'web', 'scripts', 'bench'];
/** Maximum number of code lines of a tiny file. */
const TINY = 25;
/** Number of lines above which a comment counts as long. */
const LONG_COMMENT = 4;

export interface Figure {
  name: string;
  value: number;
  /** Highest permitted value. A change that lowers the value must lower the limit too. Only a feature may raise the number of files. */
  limit: number;
}

interface SourceFile {
  /** Path relative to the project, with forward slashes. */
  path: string;
  text: string;
  /** Number of lines without blank lines and comments. */
  codeLines: number;
}

export interface House {
  figures: Figure[];
  rooms: { room: string; codeLines: number }[];
  longest: { path: string; codeLines: number };
  /** Median lines of code per file. */
  median: number;
}

/** Measures the layout of the project's sources, without tests. */
export function measureHouse(): House {
  const files = SOURCE_FOLDERS.flatMap(sourcesBelow);
  const server = files.filter(({ path }) => path.startsWith('server/'));
  const web = files.filter(({ path }) => path.startsWith('web/'));
  const bySize = files.toSorted((one, other) => one.codeLines - other.codeLines);
  const nothing = { path: '', codeLines: 0 };
  return {
    figures: [
      { name: 'source files in server/', value: server.length, limit: 576 },
      {
        name: `files of at most ${TINY} lines of code in server/`,
        // Migrations are left out, because each has a file of its own, however short it is.
        value: countTiny(server.filter(({ path }) => !path.includes('/migrations/'))),
        limit: 20,
      },
      { name: `files of at most ${TINY} lines of code in web/`, value: countTiny(web), limit: 55 },
      { name: 'files in the largest folder', value: fullestFolder(files), limit: 26 },
      { name: 'import cycles', value: countFilesInCycles(files), limit: 0 },
      { name: 'unchecked casts of parsed JSON in server/', value: countJsonCasts(server), limit: 0 },
      { name: `comments of more than ${LONG_COMMENT} lines`, value: longComments(files), limit: 26 },
    ],
    rooms: codeLinesByFolder(files),
    longest: bySize.at(-1) ?? nothing,
    median: (bySize[Math.floor(bySize.length / 2)] ?? nothing).codeLines,
  };
}

function sourcesBelow(folder: string): SourceFile[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesBelow(path);
    if (!/\.tsx?$/.test(path) || /\.(?:test|d)\.tsx?$/.test(path)) return [];
    const text = readFileSync(join(ROOT, path), 'utf8');
    const code = withoutComments(text).split('\n');
    return [{ path, text, codeLines: code.filter((line) => line.trim() !== '').length }];
  });
}

function countTiny(files: readonly SourceFile[]): number {
  return files.filter(({ codeLines }) => codeLines <= TINY).length;
}

function fullestFolder(files: readonly SourceFile[]): number {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return Math.max(...counts.values());
}

function codeLinesByFolder(files: readonly SourceFile[]): House['rooms'] {
  const rooms = new Map<string, number>();
  for (const { path, codeLines } of files) {
    const parts = path.split('/');
    const room = parts.slice(0, parts.length > 2 ? 2 : 1).join('/');
    rooms.set(room, (rooms.get(room) ?? 0) + codeLines);
  }
  return Array.from(rooms, ([room, codeLines]) => ({ room, codeLines }));
}

function countJsonCasts(files: readonly SourceFile[]): number {
  const cast = /JSON\.parse\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s+as\s+(?!unknown\b)/g;
  return files.reduce((sum, { text }) => sum + [...withoutComments(text).matchAll(cast)].length, 0);
}

function longComments(files: readonly SourceFile[]): number {
  const isLong = (comment: string): boolean => comment.trim().split('\n').length > LONG_COMMENT;
  // Match only at the start of a line, because `/*` elsewhere is part of a path pattern.
  const comments = /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n){2,}/gm;
  return files.reduce(
    (sum, { text }) => sum + Array.from(text.matchAll(comments), ([one]) => one).filter(isLong).length,
    0,
  );
}

/** Counts the files that are part of an import cycle. Imports of types and dynamic imports count too. */
function countFilesInCycles(files: readonly SourceFile[]): number {
  const imports = new Map(files.map(({ path }) => [path, importsOf(path).map(({ to }) => to)]));
  const isInCycle = (start: string): boolean => {
    const seen = new Set<string>();
    const pending = [...(imports.get(start) ?? [])];
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      if (path === start) return true;
      if (seen.has(path)) continue;
      seen.add(path);
      pending.push(...(imports.get(path) ?? []));
    }
    return false;
  };
  return files.filter(({ path }) => isInCycle(path)).length;
}
