import { type HandshakeObservation, type PostureObservation, TLS_VERSIONS } from '../core/observation.ts';
import { isPostQuantum } from './handshake.ts';
import type { Attempt } from './posture-trial.ts';
import { groupsContext, versionsContext } from './tls-contexts.ts';

/**
 * Tests which TLS versions older than the negotiated one the server accepts. Newer ones need no test: the usual handshake offered them, and
 * servers choose the newest version that they know. If the server accepts neither TLS 1.0 nor 1.1, one handshake shows that.
 */
export async function testTlsVersions(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['tlsVersions']> {
  const usual = TLS_VERSIONS.findIndex((version) => version === seen.tlsVersion);
  const versions = TLS_VERSIONS.map((version, index) => ({
    version,
    offered: usual === -1 || index < usual ? null : index === usual,
  }));
  const test = async ([oldest, ...later]: typeof versions): Promise<void> => {
    if (oldest === undefined) return;
    const offers = [oldest, ...later];
    const newest = later.at(-1) ?? oldest;
    const trial = await attempt(versionsContext({ oldest: oldest.version, newest: newest.version }));
    if (trial.state === 'unknown') return;
    const chosen =
      trial.state === 'accepted'
        ? offers.findIndex(({ version }) => version === trial.evidence.tlsVersion)
        : -1;
    for (const [index, one] of offers.entries()) if (index >= chosen) one.offered = index === chosen;
    await test(offers.slice(0, Math.max(0, chosen)));
  };
  const isOld = ({ version }: { version: string }): boolean => version === 'TLSv1' || version === 'TLSv1.1';
  const unknown = versions.slice(0, Math.max(0, usual));
  await Promise.all([test(unknown.filter((one) => !isOld(one))), test(unknown.filter(isOld))]);
  return versions;
}

/**
 * Tests whether the server negotiates ML-KEM. It is intolerant if handshakes fail only with ML-KEM, for example because such a ClientHello does
 * not fit into one packet.
 */
export async function testKeyExchange(
  seen: HandshakeObservation,
  attempt: Attempt,
): Promise<PostureObservation['postQuantum']> {
  const { group } = seen;
  if (isPostQuantum(group)) return { state: 'negotiated', group };
  const trial = await attempt(groupsContext('post-quantum'));
  if (trial.state === 'accepted') {
    const agreed = trial.evidence.group;
    return { state: isPostQuantum(agreed) ? 'negotiated' : 'not_offered', group: agreed };
  }
  // Confirm with a classic handshake: the server may have stopped answering altogether.
  const classic = await attempt(groupsContext('classic'));
  if (classic.state !== 'accepted') return { state: 'unknown', group };
  return { state: 'intolerant', group: classic.evidence.group };
}
