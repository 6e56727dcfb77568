import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { createMigratedFile, createMigratedTemplate } from './database.ts';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** null if PostgreSQL is not available. */
    postgres: { url: string; template: string } | null;
    /** A migrated SQLite database to copy. */
    sqliteTemplate: string;
  }
}

/**
 * Creates the template databases that tests copy, and starts PostgreSQL. If PostgreSQL is unavailable, prints one line, or throws
 * with CI=true.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const file = await createMigratedFile();
  project.provide('sqliteTemplate', file.path);
  // Without fsync, data survives a killed process, but not a crash of the machine. Only the crash tests must not rely on
  // that.
  const server = await startPostgres({ durable: project.name === 'crash' });
  if (server === null) {
    project.provide('postgres', null);
    const line = 'PostgreSQL was not found and could not be installed: its tests are skipped.';
    if (process.env['CI'] === 'true') throw new Error(`${line} With CI=true this is an error.`);
    process.stderr.write(`!! ${line}\n`);
    return async () => file.remove();
  }
  const template = `certlantern_template_${randomBytes(6).toString('hex')}`;
  const removeTemplate = await createMigratedTemplate(server.url, template);
  project.provide('postgres', { url: server.url, template });
  return async () => {
    file.remove();
    await removeTemplate();
    await server.stop();
  };
}
