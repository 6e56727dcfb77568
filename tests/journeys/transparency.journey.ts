import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportWire } from '../../contract/domain-report.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import { issueLogged, logListJson, mintLog } from '../kit/certificates/mint-log.ts';
import { expectAccessible } from './axe.ts';
import { createAccount, daysFromNow, expect, test } from './world.ts';

const root = mintAuthority({ organization: 'Harbour Trust', commonName: 'Harbour Root' });
const authority = root.intermediate({ organization: 'Harbour Trust', commonName: 'Harbour R1' });
const logs = [
  mintLog('Lighthouse', { name: 'Lighthouse 2027h1' }),
  mintLog('Breakwater', { name: 'Breakwater 2027h1', isStatic: true }),
];
const unlisted = mintLog('Nobody');

test.use({
  environment: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'certlantern-logs-'));
      const files = { EXTRA_CA_FILE: join(folder, 'ca.pem'), CT_LOG_LIST: join(folder, 'logs.json') };
      writeFileSync(files.EXTRA_CA_FILE, root.certificatePem);
      writeFileSync(files.CT_LOG_LIST, logListJson(logs, Date.now()));
      await use(files);
      rmSync(folder, { recursive: true });
    },
    { scope: 'worker' },
  ],
});

/** Says of every timestamp that it counts for Chrome and not for Safari. Only roots of public programs have policies. */
function withPolicies(report: ReportWire): ReportWire {
  const { transparency } = report;
  if (!transparency) return report;
  const timestamps = transparency.timestamps.map((timestamp) => ({
    ...timestamp,
    clients: [
      { client: 'chromium' as const, name: 'Chrome', counts: true, why: null },
      { client: 'apple' as const, name: 'Safari', counts: false, why: 'the log is retired' },
    ],
  }));
  const policies = [
    { client: 'chromium' as const, outcome: 'met' as const, message: 'Chrome is content with them.' },
  ];
  return { ...report, transparency: { ...transparency, timestamps, policies } };
}

/** Limit for presses of Tab. The timestamps come after fewer elements that take the focus. */
const MAX_TABS = 30;

test('the timestamps of a certificate are a table that the keyboard opens, at 1440 and 360 px in both themes', async ({
  page,
  world,
}) => {
  const at = daysFromNow(-30);
  const stamps = [...logs, unlisted].map((log) => ({ log, at }));
  const host = await world.serve('logged.example', {
    notBefore: at,
    notAfter: daysFromNow(60),
    issuer: { ...authority, issue: (options) => issueLogged(authority, options ?? {}, stamps) },
  });
  await createAccount(page, world, { hosts: [host] });
  await page.route('**/domain/*/report*', async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = (await response.json()) as { data: ReportWire };
    await route.fulfill({ response, json: { ...rest, data: withPolicies(data) } });
  });
  for (const width of [1440, 360])
    for (const colorScheme of ['light', 'dark'] as const)
      await test.step(`${width} px, ${colorScheme}`, async () => {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await page.goto('/dashboard');
        await page.getByRole('link', { name: host, exact: true }).press('Enter');
        const panel = page.getByLabel(`Details for ${host}`);
        await panel.getByRole('tab', { name: 'Chain', exact: true }).press('Enter');
        const summary = panel.locator('summary', { hasText: 'Certificate Transparency' });
        await expect(panel.getByText('3 timestamps, enough for Chrome')).toBeVisible();
        const table = panel.getByRole('table', { name: 'Timestamps of Certificate Transparency logs' });
        await expect(table).toBeHidden();
        const isFocused = () => summary.evaluate((element) => element === document.activeElement);
        for (let tabs = 0; tabs < MAX_TABS && !(await isFocused()); tabs += 1)
          await page.keyboard.press('Tab');
        await expect(summary).toBeFocused();
        await page.keyboard.press('Enter');
        await expect(table.getByRole('rowheader')).toHaveText([
          'Lighthouse 2027h1',
          'Breakwater 2027h1',
          unlisted.id.toString('base64'),
        ]);
        await expect(table.getByText('Counts for Chrome')).toHaveCount(3);
        await expect(table.getByText('Safari: the log is retired')).toHaveCount(3);
        await expect(panel.getByText('Chrome is content with them.')).toBeVisible();
        // No operator's name is broken within a word.
        const lines = table
          .getByText('Lighthouse', { exact: true })
          .evaluate((name) => name.getClientRects().length);
        expect(await lines).toBe(1);
        expect(
          await table.evaluate(
            ({ scrollWidth, parentElement }) => scrollWidth - (parentElement?.clientWidth ?? 0),
          ),
        ).toBeLessThanOrEqual(0);
        if (colorScheme === 'light') await expectAccessible(page);
      });
});
