import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Daemon, run, startDaemon } from '../machine/daemon.ts';
import { freeDnsPort } from './dns-server.ts';

/** Debian's packages with the programs that `startBind` runs. */
export const BIND_PACKAGES = ['bind9', 'bind9-utils'];

export interface BindZone {
  /** For example `site.example`. */
  name: string;
  /** Records in the format of zone files (RFC 1035 §5). SOA and NS are added. */
  records: string;
  /**
   * `unsigned`: the root has no DS record for the zone. All others have one: `foreign_key`: of a key that does not sign the zone; `missing`: the
   * zone has no signatures. Default: `unsigned`.
   */
  signatures?: 'valid' | 'expired' | 'foreign_key' | 'missing' | 'unsigned';
}

export interface Bind extends Daemon {
  /** `address:port`. The server is authoritative for the root and all zones, and answers no other questions. */
  address: string;
  zones: readonly string[];
  /** DS record of the root, by which a resolver validates. */
  trustAnchor: string;
}

const ADDRESS = '127.0.0.1';
const TTL_SECONDS = 60;

/** Starts BIND with a signed root zone of its own and these zones below it. `nsupdate` may change unsigned zones. `folder`: an existing folder for its files. */
export async function startBind(folder: string, zones: readonly BindZone[]): Promise<Bind> {
  const keys = join(folder, 'keys');
  mkdirSync(keys);
  const delegations = zones.flatMap((zone) => prepareZone(folder, keys, zone));
  const rootKey = createKey(keys, '.');
  const root = writeZone(folder, '.', delegations.join('\n'));
  sign(folder, keys, { name: '.', file: root, key: rootKey });
  const port = await freeDnsPort();
  const signedRoot = { name: '.', signatures: 'valid' } as const;
  const zoneLines = [signedRoot, ...zones].map(({ name, signatures = 'unsigned' }) => {
    // In a zone that may be updated, BIND tries to replace expired signatures all the time, and has no key for that.
    const update = signatures === 'unsigned' ? ` allow-update { ${ADDRESS}; };` : '';
    return `zone "${name}" { type primary; file "${fileOf(folder, name)}";${update} };`;
  });
  const config = join(folder, 'named.conf');
  writeFileSync(
    config,
    `options { directory "${folder}"; pid-file none; session-keyfile none; listen-on port ${port} { ${ADDRESS}; };
listen-on-v6 { none; }; recursion no; dnssec-validation no; notify no; empty-zones-enable no; };
controls { };
${zoneLines.join('\n')}
`,
  );
  const daemon = await startDaemon(['named', '-g', '-n', '1', '-c', config], {
    cwd: folder,
    listensOn: [{ address: ADDRESS, port }],
  });
  return {
    address: `${ADDRESS}:${port}`,
    zones: zones.map(({ name }) => name),
    trustAnchor: dsRecord(keys, rootKey),
    stop: () => daemon.stop(),
  };
}

/** Writes and signs a zone. Returns its delegation in the root zone. */
function prepareZone(folder: string, keys: string, zone: BindZone): string[] {
  const { name, records, signatures = 'unsigned' } = zone;
  const file = writeZone(folder, name, records);
  const delegation = `${name}. NS ns.${name}.\nns.${name}. A ${ADDRESS}`;
  if (signatures === 'unsigned') return [delegation];
  const key = createKey(keys, name);
  if (signatures !== 'missing') sign(folder, keys, { name, file, key, isExpired: signatures === 'expired' });
  const published = signatures === 'foreign_key' ? createKey(keys, name) : key;
  return [delegation, dsRecord(keys, published)];
}

const fileOf = (folder: string, name: string): string => join(folder, `${name === '.' ? 'root' : name}.zone`);

function writeZone(folder: string, name: string, records: string): string {
  const file = fileOf(folder, name);
  const times = Array.from({ length: 4 }, () => TTL_SECONDS).join(' ');
  writeFileSync(
    file,
    `$TTL ${TTL_SECONDS}\n$ORIGIN ${name === '.' ? '.' : `${name}.`}\n@ SOA ns root 1 ${times}\n@ NS ns\nns A ${ADDRESS}\n${records}\n`,
  );
  return file;
}

/** Creates a key that signs all records of a zone. Returns the name of its files without their ends. */
const createKey = (keys: string, zone: string): string =>
  run(['dnssec-keygen', '-q', '-a', 'ECDSAP256SHA256', '-f', 'KSK', '-K', keys, zone]).trim();

function sign(
  folder: string,
  keys: string,
  { name, file, key, isExpired = false }: { name: string; file: string; key: string; isExpired?: boolean },
): void {
  const publicKey = readFileSync(join(keys, `${key}.key`), 'utf8');
  writeFileSync(file, readFileSync(file, 'utf8') + publicKey);
  const dates = isExpired ? ['-s', '20240101000000', '-e', '20240201000000'] : [];
  const program = ['dnssec-signzone', '-q', '-P', '-z', '-K', keys, '-d', folder, '-o', name];
  run([...program, ...dates, '-f', file, file, join(keys, key)]);
}

const dsRecord = (keys: string, key: string): string =>
  run(['dnssec-dsfromkey', '-2', join(keys, `${key}.key`)]).trim();
