import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MintedAuthority } from '../kit/certificates/mint.ts';
import { logPublicKey, type MintedLog } from '../kit/certificates/mint-log.ts';

/** Newer than every version that is compiled into a browser, so that Chromium uses ours. */
const VERSION = 1_000_000;

/**
 * Writes the roots and the log list that a Chromium with this profile folder uses: its component "PKI Metadata". Chromium verifies the signature
 * of a component only when it downloads it (ComponentInstaller in components/component_updater). It ignores the whole file if it cannot
 * decode one of the roots.
 */
export function writePkiMetadata(
  profile: string,
  roots: readonly MintedAuthority[],
  logs: readonly MintedLog[],
): void {
  const folder = join(profile, 'PKIMetadata', String(VERSION));
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ manifest_version: 2, name: 'pki', version: `${VERSION}` }),
  );
  writeFileSync(join(folder, 'crs.pb'), rootStore(roots));
  writeFileSync(join(folder, 'ct_config.pb'), logConfig(logs));
}

/** Encodes a `RootStore` (net/cert/root_store.proto in Chromium). */
function rootStore(roots: readonly MintedAuthority[]): Buffer {
  return Buffer.concat([...roots.map(({ der }) => message(1, content(1, der))), number(2, VERSION)]);
}

/** Encodes a `CTConfig` (components/certificate_transparency/certificate_transparency_config.proto) of today. */
function logConfig(logs: readonly MintedLog[]): Buffer {
  return message(
    2,
    message(3, ...timestamp(Date.now())),
    ...logs.map((log) => message(6, ...logFields(log))),
  );
}

/** Numbers of `CurrentState`. Google leaves logs of other states out of Chrome's list. */
const STATES = new Map([
  ['qualified', 2],
  ['usable', 3],
  ['readonly', 4],
  ['retired', 5],
]);

/** Encodes the fields of a `CTLog`. Operators are in reverse order, each with the start of its time. */
function logFields(log: MintedLog): Buffer[] {
  const { previousOperators: earlier } = log;
  const operators = [...earlier.map(({ name }) => name), log.operator].map((name, index) => ({
    name,
    since: earlier[index - 1]?.until ?? 0,
  }));
  return [
    content(1, log.name),
    content(2, logPublicKey(log).toString('base64')),
    content(3, log.id.toString('base64')),
    message(8, number(1, STATES.get(log.state) ?? 0), message(2, ...timestamp(log.since))),
    ...operators
      .toReversed()
      .map(({ name, since }) => message(9, content(1, name), message(2, ...timestamp(since)))),
    number(18, log.isStatic ? 2 : 1),
  ];
}

/* Protocol Buffers (protobuf.dev/programming-guides/encoding). */

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** Encodes the fields of a `CTTimestamp`. `at`: ms UTC. */
const timestamp = (at: number): Buffer[] => [
  number(1, Math.floor(at / 1000)),
  number(2, (at % 1000) * 1_000_000),
];

const number = (field: number, value: number): Buffer =>
  Buffer.concat([varint((field << 3) | VARINT), varint(value)]);

function content(field: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((field << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

const message = (field: number, ...fields: Buffer[]): Buffer => content(field, Buffer.concat(fields));

function varint(value: number): Buffer {
  const low = value % 128;
  const rest = Math.floor(value / 128);
  return rest === 0 ? Buffer.from([low]) : Buffer.concat([Buffer.from([low | 0x80]), varint(rest)]);
}
