import { mintCrl } from '../kit/certificates/mint-crl.ts';
import { startCaServer } from '../kit/peers/ca-server.ts';
import { serve, type StartedClient, verdictAt } from './compare.ts';
import type { CrlScenario } from './crl-scenarios.ts';
import { HOST, type Roots } from './scenario.ts';

/** What Certlantern and the clients that check CRLs say about one CRL. */
export interface CrlOutcome {
  scenario: string;
  line: string;
  /** Why our answer is wrong; null if it is right. */
  fault: string | null;
}

const EMPTY = 'Chromium uses no CRL with an empty list (GetCRLStatusForCert in pki/crl.cc of BoringSSL)';
const OTHER_SIGNER =
  'OpenSSL reads such CRLs with -extended_crl only, but no client could rely on another one';

/** CRLs for which our answer rightly differs from that of Debian's clients, each with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'a CRL with an empty list': EMPTY,
  'a CRL with an empty list of version 1': EMPTY,
  'a CRL with an empty list for users only': EMPTY,
  'a CRL signed with another key of the issuer, whose certificate the server sends': OTHER_SIGNER,
  'a CRL of a CRL issuer that the certificate names and the server sends': OTHER_SIGNER,
};

/** Starts the server of a scenario and the server of its CRL. Asks every client and Certlantern whether they accept the certificate. */
export async function compareCrl(
  { name, mint }: CrlScenario,
  roots: Roots,
  clients: readonly StartedClient[],
): Promise<CrlOutcome> {
  const ca = await startCaServer();
  const issuer = roots.ecdsa.intermediate();
  const { leaf, crl, sent = [] } = mint(issuer, `${ca.origin}/leaf.crl`, `${ca.origin}/signers.crl`);
  ca.crl('/signers.crl', mintCrl(issuer));
  ca.crl('/leaf.crl', crl);
  const server = await serve({ mint: () => [leaf, issuer, ...sent] }, roots);
  if (server === null) throw new Error(`OpenSSL does not serve the certificates: ${name}`);
  try {
    const answers = await Promise.all(clients.map((client) => client.connect(HOST, server.port)));
    const { revocation } = await verdictAt(HOST, server.port, roots);
    const refusals = answers.filter((words) => words !== null).length;
    const wrong = faultOf(refusals, revocation.state);
    const exception = wrong === null ? undefined : EXCEPTIONS[name];
    const marks = answers.map((words) => (words === null ? '·' : '✗')).join('');
    const why = revocation.sources.map(({ why: reason }) => reason ?? '').join(' ');
    const notes = [
      ...(wrong !== null && exception === undefined ? [`    FAULT: ${wrong}: ${answers.join(' ')}`] : []),
      ...(exception === undefined ? [] : [`    by exception: ${exception}`]),
    ];
    const line = `${marks}  ${revocation.state.padEnd(11)}  ${name} ${why}`.trimEnd();
    return {
      scenario: name,
      line: [line, ...notes].join('\n'),
      fault: exception === undefined ? wrong : null,
    };
  } finally {
    await server.stop();
    await ca.stop();
  }
}

function faultOf(refusals: number, state: string): string | null {
  if (state === 'good' && refusals > 0) return 'good, although a client does not rely on it';
  return state !== 'good' && refusals === 0 ? `${state}, although all clients connect` : null;
}
