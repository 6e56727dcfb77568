import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { CALLS } from '../../contract/calls.ts';
import { freePort, temporaryFolder } from '../kit/app.ts';
import { createClient, sendTo } from '../kit/people.ts';

const root = resolve(import.meta.dirname, '..', '..');

it('the demo has an account with a past, checks its hosts for real, and ends cleanly', async () => {
  const folder = temporaryFolder();
  const url = `http://localhost:${await freePort()}`;
  const demo = spawn(process.execPath, ['scripts/demo.ts'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: folder.path,
      PORT: new URL(url).port,
      DATABASE_URL: 'nonsense',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(demo, 'exit');
  onTestFinished(async () => {
    demo.kill('SIGKILL');
    await ended;
    folder.remove();
  });
  let output = '';
  demo.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await vi.waitUntil(() => output.includes('Ctrl-C'), { timeout: 25_000 });

  const [, email = '', password = ''] = /Sign in as (\S+) with the password (\S+)/.exec(output) ?? [];
  const person = createClient(sendTo(url));
  await person.ask(CALLS.signIn, { body: { email, password } });
  const { token } = (await person.ask(CALLS.identityToken)).ok;
  await person.ask(CALLS.openSession, { body: { token } });
  const today = Date.now() - 60_000;
  const checked = async () =>
    (await person.ask(CALLS.listDomains)).ok.data.filter(
      ({ last_checked_at }) => last_checked_at !== null && Date.parse(last_checked_at) > today,
    );
  await vi.waitFor(async () => expect(await checked()).toHaveLength(18), { timeout: 10_000 });

  const domains = await checked();
  const { counts } = (await person.ask(CALLS.domainSummary)).ok.data;
  expect(counts).toMatchObject({ expired: 1, critical: 3, soon: 1, pending: 0, unread: 1, paused: 1 });
  const findings = domains.flatMap((domain) => domain.findings.map(({ code }) => code));
  expect(findings.toSorted()).toEqual(['expired', 'name_mismatch', 'self_signed']);
  expect(domains.filter(({ unreachable }) => unreachable !== null)).toHaveLength(2);
  const pay = domains.find(({ hostname }) => hostname === 'pay.fjord.example');
  const { data: entries } = (await person.ask(CALLS.domainHistory, { params: { id: pay?.id ?? '' } })).ok;
  expect(entries.map(({ fingerprint }) => fingerprint)).toHaveLength(2);

  // What is wrong today has been mailed; the past has not.
  const mailUrl = /http\S+\/dev\/mail\S*/.exec(output)?.[0] ?? '';
  await vi.waitFor(async () => expect(await (await fetch(mailUrl)).text()).toContain('pay.fjord.example'), {
    timeout: 10_000,
  });
  const offered = (await person.ask(CALLS.publicConfig)).ok.data.demo_hosts;
  expect(offered).toContainEqual(expect.stringMatching(/^lab\.moss\.example(:\d+)?$/));

  demo.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
