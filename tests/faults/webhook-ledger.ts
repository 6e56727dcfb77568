import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLedgerFile } from './ledger-file.ts';
import type { LedgerOrder, LedgerReport } from './ledger-process.ts';
import { MINUTE_MS } from '../../contract/durations.ts';

// A webhook receiver in a process of its own. The first segment of the path decides its behaviour:
//   /ok      accepts                /error      answers 500 until the order `well`
//   /gone    answers 410            /redirect   redirects to /ok
//   /silent  never answers          /drop       accepts, but resets the first connection of each id before answering

const [path = '', wantedPort = '0'] = process.argv.slice(2);
const ledger = createLedgerFile(path);
const dropped = new Set<string>();
let isWell = false;
const REFUSALS: Record<string, { status: number; headers?: Record<string, string> }> = {
  error: { status: 500 },
  gone: { status: 410 },
  redirect: { status: 302, headers: { location: '/ok/redirected' } },
};

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const to = request.url ?? '';
    const id = String(request.headers['webhook-id']);
    const behaviour = to.split('/')[1] ?? 'ok';
    report({ kind: 'asked', to });
    if (behaviour === 'silent') return;
    const refusal = REFUSALS[behaviour];
    if (refusal !== undefined && !(behaviour === 'error' && isWell)) {
      response.writeHead(refusal.status, refusal.headers).end('a secret of the receiver');
      return;
    }
    const drops = behaviour === 'drop' && !dropped.has(id);
    dropped.add(id);
    ledger.keep({ id, to, text: Buffer.concat(chunks).toString(), at: Date.now(), acknowledged: !drops });
    if (drops) request.socket.resetAndDestroy();
    else response.writeHead(204).end();
    report({ kind: 'arrived' });
  });
});
server.keepAliveTimeout = MINUTE_MS;

function report(what: LedgerReport): void {
  process.send?.(what);
}

process.on('message', (order: LedgerOrder) => {
  if (order.kind === 'well') isWell = order.isWell;
  report({ kind: 'done' });
});
process.on('disconnect', () => process.exit(0));
server.listen(Number(wantedPort), '127.0.0.1');
await once(server, 'listening');
report({ kind: 'listening', port: (server.address() as AddressInfo).port });
