import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { chromium as playwright } from '@playwright/test';
import { BROWSER_FLAGS } from '../kit/machine/browser.ts';
import { type ClientKind, CONNECTION_MS, NO_ANSWER, run, type RunningClient, withLimit } from './client.ts';

/** Adds the roots to a new NSS database, in the same way as roots that a user added. */
async function trustRoots(database: string, rootsFile: string): Promise<void> {
  mkdirSync(database, { recursive: true });
  await run('certutil', ['-N', '-d', `sql:${database}`, '--empty-password']);
  const roots = readFileSync(rootsFile, 'utf8').match(/-----BEGIN[^]*?END CERTIFICATE-----\n/g) ?? [];
  for (const [index, pem] of roots.entries()) {
    const file = join(database, `root-${index}.pem`);
    writeFileSync(file, pem);
    const trusted = ['-n', `root ${index}`, '-t', 'C,,', '-i', file];
    const added = await run('certutil', ['-A', '-d', `sql:${database}`, ...trusted]);
    if (added.code !== 0) throw new Error(`certutil: ${added.output}`);
  }
}

const chromium: ClientKind = {
  name: 'Chromium',
  family: 'chromium',
  packages: ['chromium', 'libnss3-tools'],
  async start({ folder, rootsFile }) {
    await trustRoots(join(folder, '.pki', 'nssdb'), rootsFile);
    return startChromium(folder, { args: BROWSER_FLAGS });
  },
};

/**
 * Starts Debian's Chromium, to which all hosts are 127.0.0.1. `folder`: its home; its profile is in `profile`. `ignoreDefaultArgs`: flags of
 * Playwright to leave out.
 */
export async function startChromium(
  folder: string,
  { args, ignoreDefaultArgs = [] }: { args: readonly string[]; ignoreDefaultArgs?: string[] },
): Promise<RunningClient> {
  const context = await playwright.launchPersistentContext(join(folder, 'profile'), {
    executablePath: '/usr/bin/chromium',
    env: { ...process.env, HOME: folder },
    // Without this, Playwright would end the process on Ctrl+C before the other clients are stopped.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    ignoreDefaultArgs,
    args: [...args, '--host-resolver-rules=MAP * 127.0.0.1'],
  });
  return {
    version: `Chromium ${context.browser()?.version() ?? (await run('chromium', ['--version'])).output.trim()}`,
    async connect(host, port) {
      // The error page of an earlier connection may still be loading in another page.
      const page = await context.newPage();
      try {
        await page.goto(`https://${host}:${port}/`, { timeout: CONNECTION_MS });
        return null;
      } catch (error) {
        if (String(error).includes('Timeout')) return NO_ANSWER;
        const code = /net::ERR_(?:CERT|SSL|BAD_SSL|TLS|CONNECTION|EMPTY|HTTP2|SOCKET)\w+/.exec(
          String(error),
        )?.[0];
        if (code === undefined) throw error;
        return code;
      } finally {
        await page.close();
      }
    },
    stop: () => context.close(),
  };
}

/** Settings that keep Firefox from asking its own services, and that resolve the hosts of the tests. */
const firefoxPreferences = (hosts: readonly string[]) => ({
  'network.dns.localDomains': hosts.join(','),
  'network.trr.mode': 5,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'security.OCSP.enabled': 0,
  'security.enterprise_roots.enabled': false,
  'app.update.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
});

const firefox: ClientKind = {
  name: 'Firefox',
  family: 'firefox',
  packages: ['firefox-esr', 'libnss3-tools'],
  async start({ folder, rootsFile, hosts }) {
    await trustRoots(folder, rootsFile);
    const lines = Object.entries(firefoxPreferences(hosts)).map(
      ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    );
    writeFileSync(join(folder, 'user.js'), lines.join('\n'));
    const program = spawn('firefox-esr', ['--headless', '--profile', folder, '--remote-debugging-port=0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, HOME: folder },
    });
    const ended = once(program, 'exit');
    const session = await openSession(await withLimit(addressOf(program.stderr), 'Firefox'));
    const { capabilities } = await session.send('session.new', { capabilities: {} });
    const { contexts } = await session.send('browsingContext.getTree', {});
    const context = contexts?.[0]?.context;
    return {
      version: `Firefox ${capabilities?.browserVersion}`,
      async connect(host, port) {
        const url = `https://${host}:${port}/`;
        try {
          await session.send('browsingContext.navigate', { context, url, wait: 'complete' });
          return null;
        } catch (error) {
          if (String(error).includes('in time')) return NO_ANSWER;
          const code = /(?:SEC|SSL|MOZILLA_PKIX|NS)_ERROR_(?!FAILURE)\w+|connectionFailure/.exec(
            String(error),
          )?.[0];
          if (code === undefined) throw error;
          return code;
        }
      },
      async stop() {
        session.close();
        program.kill();
        await ended;
      },
    };
  },
};

/** Returns the address of WebDriver BiDi that Firefox prints. */
function addressOf(output: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-4_096);
      const address = /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    });
    output.on('end', () => reject(new Error(`Firefox did not start: ${text}`)));
  });
}

interface BidiResult {
  capabilities?: { browserVersion: string };
  contexts?: { context: string }[];
}

/** Opens a session of WebDriver BiDi (w3.org/TR/webdriver-bidi) that sends one command at a time. */
async function openSession(address: string) {
  const socket = new WebSocket(`${address}/session`);
  await once(socket, 'open');
  let commands = 0;
  return {
    async send(method: string, params: Record<string, unknown>): Promise<BidiResult> {
      const id = ++commands;
      const answer = new Promise<{ result?: BidiResult; message?: string }>((resolve) => {
        const take = ({ data }: MessageEvent<string>) => {
          const message = JSON.parse(data) as { id: number | null; result?: BidiResult; message?: string };
          if (message.id !== id) return;
          socket.removeEventListener('message', take);
          resolve(message);
        };
        socket.addEventListener('message', take);
      });
      socket.send(JSON.stringify({ id, method, params }));
      const { result, message } = await withLimit(answer, 'Firefox');
      if (result === undefined) throw new Error(`${method}: ${message}`);
      return result;
    },
    close: () => socket.close(),
  };
}

export const BROWSERS: readonly ClientKind[] = [chromium, firefox];
