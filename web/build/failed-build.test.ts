import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { expect, it, onTestFinished } from 'vitest';

it('a failing build reports its error, even without an earlier build', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'certlantern-build-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const root = resolve(import.meta.dirname, '../..');
  const building = build({
    configFile: join(root, 'vite.config.ts'),
    root: join(root, 'web'),
    logLevel: 'silent',
    build: { outDir: join(folder, 'never-made') },
    plugins: [
      {
        name: 'broken',
        transform() {
          throw new Error('this page is broken');
        },
      },
    ],
  });
  await expect(building).rejects.toThrow('this page is broken');
});
