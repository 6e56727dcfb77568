import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type Plugin } from 'vite';
import { PLACEHOLDERS } from '../contract/pages.ts';
import { fillTemplate } from '../server/api/http/page-document.ts';
import { answerHelp } from './help-option.ts';

answerHelp(`npm run dev
Starts the product for development. The server restarts and the pages reload when their sources change.
DEV_PORT (default 5173) and PORT (default 8080) are the ports of the pages and of the server.`);

const pagesPort = Number(process.env['DEV_PORT'] ?? 5173);
const serverPort = process.env['PORT'] ?? '8080';

const api = `http://localhost:${serverPort}`;

/** Writes the public settings into the page, as the server does for built pages. */
const publicSettings: Plugin = {
  name: 'public-settings',
  async transformIndexHtml(html) {
    const { data } = (await (await fetch(`${api}/api/config`)).json()) as { data: unknown };
    return fillTemplate(html, { [PLACEHOLDERS.config]: JSON.stringify(data) });
  },
};

const vite = await createServer({
  plugins: [publicSettings],
  server: { port: pagesPort, strictPort: true, proxy: { '/api': api, '/dev': api } },
});
try {
  await vite.listen();
} catch (error) {
  // Suggest another port, because the cause is almost always a port in use.
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}. Choose another one: DEV_PORT=${pagesPort + 1} npm run dev\n`,
  );
  process.exit(1);
}

const server: ChildProcess = spawn(
  process.execPath,
  ['--watch', '--watch-preserve-output', 'server/main.ts'],
  {
    stdio: 'inherit',
    // The browser sends requests to Vite's address, so the server must accept that origin as its own.
    env: {
      ...process.env,
      PORT: serverPort,
      PUBLIC_URL: process.env['PUBLIC_URL'] ?? `http://localhost:${pagesPort}`,
    },
  },
);
process.stdout.write(`\n  Open http://localhost:${pagesPort} (reloads as you save)\n`);

const stop = (): void => {
  server.kill('SIGTERM');
  void vite.close().finally(() => process.exit(0));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
process.on('disconnect', stop);
server.on('exit', stop);
