#!/bin/sh
# Guess:    `nodejs_eventloop_lag_p99_seconds` of an idle process is near 0, and a longer sampling interval (`eventLoopMonitoringPrecision`)
#           only makes it coarser.
# Happens:  every quantile contains the interval. With 200 ms an idle process reports 0.2 s, with 10 ms 0.01 s; only the gauge
#           `nodejs_eventloop_lag_seconds`, which is measured while the metrics are read, is near 0.
# Seen:     prom-client 15.1.3 on Node 20.20 and 26.10
# Matters:  whoever makes the interval longer to save wake-ups gets a lag that no code causes: an alert rule fires, and a benchmark blames
#           the garbage collection. Subtract the interval, or measure requests.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts prom-client@15.1.3
cat >show.mjs <<'END'
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { collectDefaultMetrics, Registry } from 'prom-client';

for (const interval of [10, 200]) {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: interval });
  await setTimeout(3_000);
  const values = Object.fromEntries(
    (await register.getMetricsAsJSON())
      .filter(({ name }) => /^nodejs_eventloop_lag_(?:min|p50|p99)_seconds$/.test(name))
      .map(({ name, values: [{ value }] }) => [name, value]),
  );
  console.log(`interval ${interval} ms, idle:`, values);
  for (const [name, value] of Object.entries(values))
    assert.ok(value * 1_000 > 0.8 * interval, `${name} no longer contains the interval.`);
}
END
node show.mjs
