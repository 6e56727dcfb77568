import { issuerLine } from '../../../contract/check-words.ts';
import { type CertificateWire, listCertificates } from '../../../contract/calls/certificate.ts';
import { type PrintedColumn, PrintedList } from '../../domain/printed-list.tsx';
import { grouped, longDate } from '../../lib/format.ts';
import { badgeWords } from './certificate-parts.tsx';

const COLUMNS: PrintedColumn<CertificateWire>[] = [
  { label: 'Certificate', cell: ({ display_name: name }) => name || 'Without a name' },
  { label: 'Remaining', cell: badgeWords },
  { label: 'Expires On', cell: ({ expiry_date: end }) => longDate(end) },
  { label: 'Issuer', cell: ({ authority_name, issuer }) => issuerLine(authority_name, issuer) },
  { label: 'Served by', cell: servedBy },
];

function servedBy({ domains, domain_count: count }: CertificateWire): string {
  const names = domains.map(({ display_name: name }) => name).join(', ');
  return count > domains.length ? `${names} and ${grouped(count - domains.length)} more` : names;
}

/** Prints all certificates of the list; see `PrintedList`. */
export function PrintedCertificates({ query }: { query: Record<string, string> }) {
  return <PrintedList call={listCertificates} query={query} what="certificate" columns={COLUMNS} />;
}
