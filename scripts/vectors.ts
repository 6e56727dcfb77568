import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { answerHelp } from './help-option.ts';
import { readBoringsslCases } from './vectors-boringssl.ts';
import { readPkitsCases } from './vectors-pkits.ts';
import { readVectorCases, type VectorCase } from './vectors-cases.ts';
import { formatTally, runVectors } from './vectors-run.ts';

const USAGE = `Usage: npm run vectors -- [--at ISO-TIME] [--profile tls-client|rfc5280|web-pki] FILE… | pkits FOLDER | boringssl FOLDER
Judges x509-limbo and BetterTLS cases, NIST PKITS with its CRLs, or the CRL and OCSP tests in the folder pki of BoringSSL, with server/pki. --at sets the time for cases without one (default: now);
--profile judges every case by this profile instead of the one of its family.`;
answerHelp(USAGE);

function main(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { at: { type: 'string' }, profile: { type: 'string' } },
  });
  const now = values.at === undefined ? Date.now() : Date.parse(values.at);
  const profile =
    (['tls-client', 'rfc5280', 'web-pki'] as const).find((name) => name === values.profile) ?? null;
  const isBadProfile = values.profile !== undefined && profile === null;
  if (positionals.length === 0 || Number.isNaN(now) || isBadProfile) {
    console.error(USAGE);
    return 2;
  }
  const [suite, folder] = positionals;
  const readSuite = suite === 'pkits' ? readPkitsCases : suite === 'boringssl' ? readBoringsslCases : null;
  const cases = readSuite !== null && folder !== undefined ? readSuite(folder) : positionals.flatMap(read);
  const tally = runVectors(cases, { now, profile });
  for (const line of tally.disagreements) console.log(line);
  console.log(formatTally(tally));
  return tally.falseAccept > 0 ? 1 : 0;
}

/** Reads the cases of a file. @throws Error with the file's name if the file cannot be parsed. */
function read(file: string): VectorCase[] {
  const text = readFileSync(file, 'utf8');
  try {
    return readVectorCases(text);
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

try {
  process.exitCode = main();
} catch (error) {
  console.error(`vectors: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 2;
}
