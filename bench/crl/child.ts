import { readFileSync } from 'node:fs';
import { parseCertificate } from '../../server/pki/certificate.ts';
import { crlStatus } from '../../server/pki/revocation/crl-status.ts';
import { parseCrl } from '../../server/pki/revocation/crl.ts';
import type { CrlFiles, CrlReading } from './protocol.ts';

process.once('message', (files: CrlFiles) => {
  const issuer = parseCertificate(readFileSync(files.issuer));
  const certificate = parseCertificate(readFileSync(files.certificate));
  const before = process.memoryUsage.rss();
  const der = readFileSync(files.list);

  const parsing = startCpuTimer();
  const crl = parseCrl(der);
  const parse = parsing();
  const verifying = startCpuTimer();
  if (crl.checkIssuer(issuer) !== 'valid') throw new Error('the list is not signed by its issuer');
  const verify = verifying();
  const lookingUp = startCpuTimer();
  const answer = crlStatus({
    crl,
    certificate,
    signers: [issuer],
    isPublic: false,
    url: files.url,
    now: Date.now(),
  });
  const lookUp = lookingUp();

  if (answer.state !== 'revoked') throw new Error(`the certificate is not found: ${answer.state}`);
  const reading: CrlReading = {
    parse,
    verify,
    lookUp,
    memory: process.resourceUsage().maxRSS * 1024 - before - der.length,
  };
  process.send?.(reading);
  process.disconnect?.();
});

/**
 * Starts a CPU timer. The returned function returns the CPU time (user plus system) that all threads of this process have
 * used since the start, in ms.
 */
function startCpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
