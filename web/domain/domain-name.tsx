import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { grouped } from '../lib/format.ts';

/** Links a domain's name to its panel. */
export function DomainName({ domain }: { domain: { id: string; display_name: string } }) {
  return (
    <Link
      to="/dashboard"
      search={{ domain: domain.id }}
      preload={false}
      className="link font-mono [overflow-wrap:anywhere]"
    >
      <BreakableName name={domain.display_name} />
    </Link>
  );
}

/** Lets a name that is too long for its line continue after a dot. */
export function BreakableName({ name }: { name: string }) {
  const labels = name.split(/(?<=\.)/);
  return labels.map((label, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {label}
    </Fragment>
  ));
}

interface ServedByProps {
  /** The first of the domains that serve the certificate. */
  domain: { id: string; display_name: string } | null | undefined;
  /** Number of all these domains. */
  count: number;
  fingerprint: string;
}

/** Links the first domain that serves a certificate, and the certificate's page if there are more. */
export function ServedBy({ domain, count, fingerprint }: ServedByProps) {
  if (!domain) return null;
  return (
    <span>
      <DomainName domain={domain} />
      {count > 1 && (
        <>
          {' '}
          <Link
            to="/certificates"
            search={{ certificate: fingerprint }}
            className="num link whitespace-nowrap"
          >
            and {grouped(count - 1)} more
          </Link>
        </>
      )}
    </span>
  );
}
