import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLog, redactSecrets } from './log.ts';

/** 256 bits in base64url, the format of our random tokens. */
const TOKEN = 'nB9a_Zk3-4Qw8VtYpLr2sUeXc7Hd0JfGm1To5RiAyKE';
const FINGERPRINT = '3f'.repeat(32);

describe('a log line', () => {
  it.each([
    `connect ECONNREFUSED smtp://alerts:hunter2@mail.example.com:587`,
    `postgres://watch:hunter2@db.internal/certlantern refuses us`,
    `Authorization: Bearer hunter2`,
    `authorization: basic aHVudGVyMg==hunter2`,
    `GET /reset-password?token=hunter2&next=/ failed`,
    `https://api.telegram.org/bot123456789:AAhunter2hunter2hunter2hunter2hunter2/sendMessage`,
    `clt_hunter2 is not valid`,
    `${TOKEN}hunter2`,
  ])('does not contain the secret of: %s', (text) => {
    const line = redactSecrets(JSON.stringify({ level: 50, msg: text, nested: { text } }));
    expect(line).not.toContain('hunter2');
    expect(JSON.parse(line)).toMatchObject({ level: 50 });
  });

  it('is written without the secrets of its error and its message', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'log-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'log');
    const fd = openSync(file, 'w');
    onTestFinished(() => closeSync(fd));
    createLog('info', fd).info({ err: new Error('Bearer hunter2') }, 'smtp://a:hunter2@mail.example.com');
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('\n');
    const line = readFileSync(file, 'utf8');
    expect(JSON.parse(line)).toMatchObject({ msg: 'smtp://***@mail.example.com' });
    expect(line).not.toContain('hunter2');
  });

  it('keeps ids, fingerprints, hosts, ports and files', () => {
    const line = JSON.stringify({
      requestId: crypto.randomUUID(),
      fingerprint: FINGERPRINT,
      endpoint: 'a-rather-long-name-of-a-shop.example.com:443',
      stack: 'Error: x\n    at look (file:///srv/certlantern/server/probe/look.ts:12:3)',
      msg: 'http://localhost:8080 answers 503',
    });
    expect(redactSecrets(line)).toBe(line);
  });
});
