import { Link } from '@tanstack/react-router';
import type { CertificateWire } from '../../../contract/calls/certificate.ts';
import { daysLeft, expiryBadge } from '../../../contract/badge.ts';
import { daysText } from '../../../contract/schedule.ts';
import { ExpiryBadge, RevocationBadge } from '../../ui/badge.tsx';
import type { Lifetime } from '../../ui/certificate/lifetime-geometry.ts';

/** Shows how long a certificate is still valid: a badge if it is revoked or ends soon, else the days. */
export function Remaining({ certificate, now }: { certificate: CertificateWire; now: number }) {
  const notAfter = Date.parse(certificate.expiry_date);
  if (certificate.state === 'revoked') return <RevocationBadge revoked />;
  if (expiryBadge(notAfter, now)) return <ExpiryBadge notAfter={notAfter} now={now} short />;
  return <span className="num text-[13.5px] text-fg-2">{daysText(daysLeft(notAfter, now))} left</span>;
}

/** Says that the renewal is overdue; shows nothing before. */
export function RenewalNote({ certificate, now }: { certificate: CertificateWire; now: number }) {
  const overdueAt = certificate.renewal?.overdue_at ?? null;
  if (certificate.state === 'expired' || overdueAt === null || Date.parse(overdueAt) > now) return null;
  return <span className="text-critical-fg">renewal overdue</span>;
}

/** Returns the data of the lifetime bar. */
export function lifetimeOfCertificate({
  valid_from,
  expiry_date,
  renewal,
  state,
}: CertificateWire): Lifetime {
  return {
    notBefore: Date.parse(valid_from),
    notAfter: Date.parse(expiry_date),
    renewalFrom: renewal === null ? null : Date.parse(renewal.from),
    revoked: state === 'revoked',
  };
}

/** Links a domain's name to its panel. */
export function DomainName({ domain }: { domain: { id: string; display_name: string } }) {
  return (
    <Link
      to="/dashboard"
      search={{ domain: domain.id }}
      preload={false}
      className="link font-mono [overflow-wrap:anywhere]"
    >
      {domain.display_name}
    </Link>
  );
}
