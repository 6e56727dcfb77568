import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountMessage } from '../../server/channels/messages/account-message.ts';
import { ALARM_CODES } from '../../server/store/alerts/alarms.ts';
import { type App, startApp, temporaryFolder } from '../kit/product/app.ts';
import { programOfDebianPackage } from '../kit/machine/debian-package.ts';

const root = resolve(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const promtool = programOfDebianPackage('prometheus', 'usr/bin/promtool');
/** Metrics that Prometheus itself provides, and names of PromQL. */
const NOT_OURS = ['up', 'ALERTS'];

let folder: ReturnType<typeof temporaryFolder>;
let app: App;
let metrics: string;

beforeAll(async () => {
  folder = temporaryFolder();
  app = await startApp({ DATA_DIR: join(folder.path, 'data') });
  metrics = await (await fetch(`${app.url}/metrics`)).text();
});
afterAll(async () => {
  await app.kill();
  folder.remove();
});

/** Returns every sample name that this process may expose. */
function sampleNames(): Set<string> {
  const names = new Set(NOT_OURS);
  for (const [, name = '', type] of metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.add(name);
    if (type === 'histogram' || type === 'summary')
      for (const part of ['bucket', 'sum', 'count']) names.add(`${name}_${part}`);
  }
  return names;
}

/** Returns the words in a query that look like metric names: they contain an underscore and are not labels. */
function namesIn(query: string): string[] {
  const bare = query.replaceAll(/"[^"]*"/g, '').replaceAll(/\b(?:by|on|group_left|without) \([^)]*\)/g, '');
  const words = bare.match(/\b[a-z][a-z\d]*_[a-z\d_]+\b(?!\s*(?:\(|[=!]))/gi) ?? [];
  return words.filter((word) => !/^(?:__|\$)/.test(word));
}

interface Panel {
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { uid: string };
  targets?: { expr: string; datasource: { uid: string } }[];
}
const dashboard = JSON.parse(read('deploy/grafana/certlantern.json')) as {
  uid: string;
  templating: { list: { name: string; type: string }[] };
  panels: Panel[];
};

describe('The Grafana dashboard', () => {
  it('queries only metrics that exist', () => {
    const known = sampleNames();
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(25);
    for (const query of queries) {
      const names = namesIn(query);
      expect(names.length + Number(query.includes('up{')), query).toBeGreaterThan(0);
      expect(
        names.filter((name) => !known.has(name) && !name.startsWith('rate_')),
        query,
      ).toEqual([]);
    }
  });

  it('works with any data source and job, and has no overlapping panels', () => {
    const variables = dashboard.templating.list.map(({ name, type }) => `${type} ${name}`);
    expect(variables).toEqual(['datasource datasource', 'query job']);
    const taken = new Set<string>();
    for (const { title, type, gridPos, targets = [] } of dashboard.panels) {
      expect(title).not.toBe('');
      expect(targets.length > 0, title).toBe(type !== 'row');
      for (const target of targets) {
        expect(target.datasource.uid).toBe('${datasource}');
        expect(target.expr).toContain('job="$job"');
      }
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x < 24 && !taken.has(`${x} ${y}`), title).toBe(true);
          taken.add(`${x} ${y}`);
        }
    }
  });

  it('shows all of the product’s metrics', () => {
    const shown = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => namesIn(expr)),
    );
    const told = [...metrics.matchAll(/^# TYPE (certlantern_\S+|oldest_\S+) /gm)].map(
      ([, name = '']) => name,
    );
    expect(told.filter((name) => !shown.some((one) => one.startsWith(name)))).toEqual([]);
  });
});

describe('The Prometheus alert rules', () => {
  const rules = read('deploy/prometheus/alerts.yml');

  it('query only metrics that exist', () => {
    const known = sampleNames();
    const queries = [...rules.matchAll(/^ +expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)/gm)].map(
      ([, folded, plain = '']) => folded ?? plain,
    );
    expect(queries).toHaveLength((rules.match(/- alert:/g) ?? []).length);
    for (const query of queries) expect(namesIn(query).filter((name) => !known.has(name))).toEqual([]);
  });

  it.skipIf(promtool === null)('pass promtool, and so does the example config', () => {
    const check = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(promtool ?? '', args, { encoding: 'utf8', cwd: root });
      return { status, text: `${stdout}${stderr}` };
    };
    const checked = check('check', 'rules', 'deploy/prometheus/alerts.yml');
    expect(checked, checked.text).toMatchObject({ status: 0 });
    const configured = check('check', 'config', '--syntax-only', 'deploy/prometheus/prometheus.yml');
    expect(configured, configured.text).toMatchObject({ status: 0 });
    const tried = check('test', 'rules', 'tests/process/monitoring-alerts.yml');
    expect(tried, tried.text).toMatchObject({ status: 0 });
  });
});

describe('Alarms', () => {
  it('are all explained in the monitoring guide and in the operator’s mail', () => {
    const [, section = ''] = /^## Alarms\n(.*?)^## /ms.exec(read('docs/guides/monitor.md')) ?? [];
    const rows = [...section.matchAll(/^\| `([a-z_]+)` +\|/gm)];
    expect(rows.map(([, code]) => code)).toEqual([...ALARM_CODES]);
    for (const code of ALARM_CODES) {
      expect(metrics).toContain(`certlantern_alarm{code="${code}"} `);
      const content = { kind: 'operator_alarm', code, detail: '', since: 0 } as const;
      const { subject } = accountMessage({
        content,
        createdAt: 0,
        productName: 'Certlantern',
        publicUrl: new URL('https://certs.example'),
        timeZone: 'UTC',
      });
      expect(subject).not.toContain(code);
    }
  });
});

describe('The metrics', () => {
  it('have labels from a fixed list, without hosts or people', () => {
    const labels = [...metrics.matchAll(/^certlantern_\w+\{([^}]*)\}/gm)].flatMap(([, text = '']) =>
      [...text.matchAll(/(\w+)="/g)].map(([, name = '']) => name),
    );
    const few = [
      'code',
      'kind',
      'le',
      'limit',
      'list',
      'method',
      'outcome',
      'role',
      'route',
      'status',
      'version',
    ];
    expect([...new Set(labels)].filter((name) => !few.includes(name))).toEqual([]);
    expect(metrics).toMatch(/^certlantern_build_info\{version="\d+\.\d+\.\d+[^"]*",role="all"\} 1$/m);
  });

  it.skipIf(promtool === null)('pass promtool', () => {
    const { stdout, stderr } = spawnSync(promtool ?? '', ['check', 'metrics'], {
      input: metrics,
      encoding: 'utf8',
    });
    // promtool complains about these names. The first is ours and older than promtool's rule; prom-client names the others.
    const known = /^(?:certlantern_checks_in_five_minutes|nodejs_active_\w+_total) /;
    const found = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !known.test(line));
    expect(found).toEqual([]);
  });
});
