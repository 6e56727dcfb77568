import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import type { Plugin } from 'vite';
import { prerenderPages } from './web/build/prerender-plugin.ts';
import { slimZod } from './web/build/slim-zod.ts';

const api = 'http://localhost:8080';

/** Puts a `.br` and a `.gz` beside every file of text that the server hands out as it is: all but the pages. */
function precompress(): Plugin {
  let outDir = '';
  let isWritten = false;
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      outDir = resolve(config.root, config.build.outDir);
    },
    writeBundle() {
      isWritten = true;
    },
    async closeBundle() {
      // Of a build that failed there is nothing, and an error here would hide its own.
      if (!isWritten) return;
      for (const entry of await readdir(outDir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !/\.(?:js|css|svg)$/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        const content = await readFile(path);
        await writeFile(`${path}.br`, brotliCompressSync(content));
        await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwindcss(), slimZod(), prerenderPages(), precompress()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // An inlined font or image would be a `data:` URL, which the content security policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Every file costs a way to the server, most of all where nobody speaks HTTP/2 there: one for all that every page
        // needs, and small ones that several pages share join one another.
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'], priority: 1 },
            { name: 'icons', test: /lucide-react/, priority: 1 },
            // Small, and on nearly every page: joined with something larger, they would bring that to the first page.
            {
              name: 'page',
              test: /web.(lib.date|ui.(logo|class-names|page-title|header-slot|badge|glyph)\.)/,
              priority: 1,
            },
            // What only settings are made of: joined with schemas, it would come along with those.
            { name: 'settings', test: /web.ui.(row|checkbox|checkbox-line|use-kept-focus)\./, priority: 1 },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 4096 },
          ],
        },
        // Their own names are those of all who share them.
        chunkFileNames: ({ name }) => `assets/${name.replace(/~.*/, '')}-[hash].js`,
      },
    },
  },
  server: { proxy: { '/api': api, '/dev': api } },
});
