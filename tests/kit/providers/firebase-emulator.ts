import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, temporaryFolder } from '../product/app.ts';

const PACKAGE = join(import.meta.dirname, 'firebase-emulator');
const PROGRAM = join(PACKAGE, 'node_modules', 'firebase-tools', 'lib', 'bin', 'firebase.js');
const PROJECT = 'demo-certlantern';
/** Time for the start in ms. Loading hundreds of modules for the first time takes long on a busy machine. */
const START_MS = 180_000;

export interface FirebaseMail {
  email: string;
  requestType: 'VERIFY_EMAIL' | 'PASSWORD_RESET';
  oobLink: string;
}

/** Firebase's Auth emulator as a process. */
export interface FirebaseEmulator {
  url: string;
  projectId: string;
  users(): Promise<{ localId: string; email: string; displayName?: string; emailVerified?: boolean }[]>;
  /** Returns the mails that would have been sent, oldest first. */
  mails(): Promise<FirebaseMail[]>;
  /** Opens the link of a mail, with a new password if it is a password reset. */
  follow(mail: FirebaseMail, newPassword?: string): Promise<void>;
  stop(): Promise<void>;
}

/** Installs Firebase's tools, about 250 MB, unless they are installed; returns false if they are unavailable. */
export function installFirebaseEmulator(): boolean {
  if (existsSync(PROGRAM)) return true;
  process.stderr.write('Installing the Auth emulator of Firebase from npm …\n');
  try {
    execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: PACKAGE,
      stdio: 'ignore',
    });
    return existsSync(PROGRAM);
  } catch {
    return false;
  }
}

export async function startFirebaseEmulator(): Promise<FirebaseEmulator> {
  const folder = temporaryFolder();
  const [auth, hub, logging] = [await freePort(), await freePort(), await freePort()];
  const host = '127.0.0.1';
  const emulators = {
    auth: { host, port: auth },
    hub: { host, port: hub },
    logging: { host, port: logging },
    ui: { enabled: false },
  };
  writeFileSync(join(folder.path, 'firebase.json'), JSON.stringify({ emulators }));
  const child = spawn(
    process.execPath,
    [PROGRAM, 'emulators:start', '--only', 'auth', '--project', PROJECT],
    {
      cwd: folder.path,
      // The emulator stores its settings in the home folder.
      env: { PATH: process.env['PATH'], HOME: folder.path, NO_UPDATE_NOTIFIER: '1', CI: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const exited = once(child, 'exit');
  let output = '';
  await new Promise<void>((ready, failed) => {
    const late = setTimeout(() => failed(new Error(`The emulator is not ready:\n${output}`)), START_MS);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (!output.includes('All emulators ready')) return;
      clearTimeout(late);
      ready();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => failed(new Error(`The emulator ended with ${code}:\n${output}`)));
  });

  const url = `http://${host}:${auth}`;
  async function ask<T>(path: string, body?: object): Promise<T> {
    const response = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const accounts = '/identitytoolkit.googleapis.com/v1';

  return {
    url,
    projectId: PROJECT,
    async users() {
      type Found = { userInfo?: Awaited<ReturnType<FirebaseEmulator['users']>> };
      return (await ask<Found>(`${accounts}/projects/${PROJECT}/accounts:query`, {})).userInfo ?? [];
    },
    async mails() {
      return (await ask<{ oobCodes: FirebaseMail[] }>(`/emulator/v1/projects/${PROJECT}/oobCodes`)).oobCodes;
    },
    async follow({ oobLink }, newPassword) {
      const link = new URL(oobLink);
      if (newPassword !== undefined) link.searchParams.set('newPassword', newPassword);
      const response = await fetch(link);
      if (!response.ok) throw new Error(`The link answered ${response.status} ${await response.text()}`);
    },
    async stop() {
      child.kill('SIGINT');
      await exited;
      folder.remove();
    },
  };
}
