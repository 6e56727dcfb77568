import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

export interface BuiltChunk {
  fileName: string;
  /** Paths of the source files in the chunk. */
  moduleIds: string[];
  /** Names of the chunks that this chunk imports statically. */
  imports: string[];
}

export interface BuildOutput {
  root: string;
  outDir: string;
  chunks: BuiltChunk[];
}

/**
 * Creates a plugin that runs `work` when all files of the build are written. After a failed build `work` does not run: its
 * error about missing files would hide the error of the build.
 */
export function afterBuild(name: string, work: (built: BuildOutput) => Promise<void>): Plugin {
  let root = '';
  let outDir = '';
  let chunks: BuiltChunk[] | null = null;
  return {
    name,
    apply: 'build',
    configResolved(config) {
      root = config.root;
      outDir = resolve(config.root, config.build.outDir);
    },
    writeBundle(_options, bundle) {
      chunks = Object.values(bundle).flatMap((output) =>
        output.type === 'chunk'
          ? [{ fileName: output.fileName, moduleIds: output.moduleIds, imports: output.imports }]
          : [],
      );
    },
    async closeBundle() {
      if (chunks !== null) await work({ root, outDir, chunks });
    },
  };
}

/** Writes a `.br` and a `.gz` file beside every script, style sheet and SVG. The server compresses the pages itself. */
export function precompress(): Plugin {
  return afterBuild('precompress', async ({ outDir }) => {
    for (const entry of await readdir(outDir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.(?:js|css|svg)$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const content = await readFile(path);
      await writeFile(`${path}.br`, brotliCompressSync(content));
      await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
    }
  });
}
