import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../tests/kit/product/app.ts';
import { fetchProbeText, isBlackboxInstalled, PROGRAM } from '../check/blackbox.ts';
import { addressOf, type Farm } from '../scale/farm.ts';
import { LAST_MS, measureWindow, type Peer } from './window.ts';

/** Starts Debian's blackbox_exporter with its module http_2xx, as an operator would. Returns null if it cannot be installed. */
export async function startBlackboxHttp(farm: Farm, folder: string): Promise<Peer | null> {
  if (!isBlackboxInstalled()) return null;
  const config = join(folder, 'blackbox-http.yml');
  const http = {
    preferred_ip_protocol: 'ip4',
    tls_config: { ca_file: farm.environment['EXTRA_CA_FILE'] },
  };
  await writeFile(
    config,
    JSON.stringify({ modules: { http_2xx: { prober: 'http', timeout: '10s', http } } }),
  );
  const port = await freePort();
  const child = spawn(
    PROGRAM,
    [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
    { stdio: 'ignore' },
  );
  const ended = once(child, 'exit');
  const agent = new Agent({ keepAlive: true });
  const probe = async (index: number): Promise<boolean> => {
    const target = encodeURIComponent(`https://${addressOf(index)}:${farm.port}/`);
    const query = `module=http_2xx&target=${target}&hostname=${farm.hostOf(index)}`;
    return (await fetchProbeText(`http://127.0.0.1:${port}/probe?${query}`, agent)).includes(
      '\nprobe_success 1\n',
    );
  };
  while (!(await probe(0).catch(() => false))) await delay(50);
  return {
    name: 'blackbox_exporter',
    async window({ first, checks, seconds }) {
      let succeeded = 0;
      const window = await measureWindow(child.pid ?? 0, checks, async () => {
        const from = performance.now();
        const running: Promise<void>[] = [];
        for (let index = 0; index < checks; index++) {
          await delay(Math.max(0, from + (index * seconds * 1_000) / checks - performance.now()));
          running.push(probe(first + index).then((isUp) => void (succeeded += Number(isUp))));
        }
        await delay(Math.max(0, from + seconds * 1_000 + LAST_MS - performance.now()));
        await Promise.all(running);
      });
      if (succeeded < checks * 0.98) throw new Error(`${succeeded} of ${checks} probes succeeded`);
      return { ...window, checks: succeeded };
    },
    async stop() {
      agent.destroy();
      child.kill('SIGKILL');
      await ended;
    },
  };
}
