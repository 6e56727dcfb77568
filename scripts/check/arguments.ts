import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { factsOf, PROTOCOL_NAMES } from '../../contract/protocols.ts';
import { readCertificateFile } from '../../server/certificate-file.ts';
import { displayName, type Endpoint, normaliseEndpoint } from '../../server/core/endpoint.ts';
import { identityKey } from '../../server/core/target.ts';
import type { AddressPolicy } from '../../server/egress/address-policy.ts';

const STARTTLS_NAMES = PROTOCOL_NAMES.filter((name) => factsOf(name).startTls !== undefined).join(', ');

export const HELP = `certlantern check HOST…      (npm run check -- HOST…)

Checks the certificate of each HOST in the same way as the server, but needs no server or account. Says what is wrong and
how to fix it. Nothing is stored.

HOST    example.com, example.com:8443, [2001:db8::1]:443, or with a scheme: smtp://mail.example.com. Schemes and ports
        that start in plain text (${STARTTLS_NAMES}) switch to TLS
        first. Addresses of your own network can be checked.

These options apply to every HOST:

  --connect-to WHERE       connects to this address or name instead of HOST: 10.0.0.7, 10.0.0.7:8443, [2001:db8::1]:8443
  --server-name NAME       sends this server name (SNI) instead of HOST; "none" sends none. The certificate must still be
                           valid for HOST
  --verify-name NAME       the certificate must be valid for this name or IP address instead of HOST
  --expected-status LIST   the HTTP statuses of a working https host, such as 200-399,401. Default: all but 500 to 599
  --family 4|6             checks IPv4 or IPv6 addresses only

  --json        one JSON document: an array with a report for each HOST, with the names that the API uses
  --markdown    the reports as Markdown, for sharing
  --ca FILE     also trusts the certificates in FILE (PEM, DER or PKCS#7); may be repeated. The variable EXTRA_CA_FILE adds a
                file too
  --help        this text

Reports go to stdout, progress to stderr. A HOST that is not valid is reported on stderr and counts as not reached; the
others are still checked. Colours appear only on a terminal, and never if NO_COLOR is set.

The exit code shows the worst result:
   0   everything is fine, or there are only notes
   1   a warning
   2   critical: clients refuse the certificate, its CA revoked it, or the site answers with an error
   3   a host could not be reached
  64   the command line is not valid
 130   stopped by Ctrl-C
`;

/** Error for an invalid command line. Its message names the reason. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export interface Arguments {
  help: boolean;
  format: 'text' | 'json' | 'markdown';
  endpoints: Endpoint[];
  /** Hosts that were given more than once, even if spelled differently. Each is checked once. */
  repeated: string[];
  /** Error messages for arguments that are not valid hosts. */
  refused: string[];
  /** PEM text of each --ca file. */
  ownAuthorities: string[];
}

/**
 * Parses the command line. Resolves paths of --ca files relative to `folder`. @throws UsageError for invalid options, for an
 * unreadable file, or without a valid host (except with --help).
 */
export function readArguments(args: readonly string[], policy: AddressPolicy, folder: string): Arguments {
  const { values, positionals } = parse(args);
  const target = {
    connect_to: values['connect-to'],
    server_name: values['server-name'],
    verify_name: values['verify-name'],
    expected_status: values['expected-status'],
    family: values.family,
  };
  const help = values.help === true;
  if (!help && positionals.length === 0) throw new UsageError('Name a host, for example: check example.com');
  if (values.json === true && values.markdown === true)
    throw new UsageError('Choose either --json or --markdown.');
  const read = positionals.map((typed) => readHost(typed, policy, target));
  const valid = read.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  const refused = read.filter((one) => typeof one === 'string');
  if (!help && valid.length === 0) throw new UsageError(refused.join('\n'));
  const endpoints = distinct(valid);
  return {
    help,
    format: values.json === true ? 'json' : values.markdown === true ? 'markdown' : 'text',
    endpoints,
    refused,
    repeated: [...new Set(valid.filter((one) => !endpoints.includes(one)).map(displayName))],
    ownAuthorities: (values.ca ?? []).map((file) => readAuthorityFile(resolve(folder, file))),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h' },
        json: { type: 'boolean' },
        markdown: { type: 'boolean' },
        ca: { type: 'string', multiple: true },
        'connect-to': { type: 'string' },
        'server-name': { type: 'string' },
        'verify-name': { type: 'string' },
        'expected-status': { type: 'string' },
        family: { type: 'string' },
      },
    });
  } catch (error) {
    throw asUsageError(error);
  }
}

/** Returns an error of `parseArgs` as a usage error, with the first sentence of its message. */
export function asUsageError(error: unknown): UsageError {
  return new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
}

/** Parses one HOST argument. Returns the endpoint, or an error message for stderr. */
function readHost(
  typed: string,
  policy: AddressPolicy,
  target: Parameters<typeof normaliseEndpoint>[2],
): Endpoint | string {
  const permitted = {
    permitsAddress: (ip: string) => policy.permits(ip),
    permitsLocalNames: policy.permitsLocalNames,
  };
  const normalised = normaliseEndpoint(typed, permitted, target);
  return normalised.ok ? normalised.endpoint : `“${typed}”: ${normalised.message}`;
}

function distinct(endpoints: readonly Endpoint[]): Endpoint[] {
  return [...new Map(endpoints.map((one) => [identityKey(one), one])).values()];
}

function readAuthorityFile(path: string): string {
  const read = readCertificateFile(path);
  if (!read.ok) throw new UsageError(`--ca: ${read.message}`);
  return read.pem;
}
