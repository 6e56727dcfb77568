import { issuerLine } from '../../../../contract/check-words.ts';
import { listDomains } from '../../../../contract/calls/domain.ts';
import type { DomainWire } from '../../../../contract/domain.ts';
import type { ListFilter } from '../../../domain/domain-filter.ts';
import { type PrintedColumn, PrintedList } from '../../../domain/printed-list.tsx';
import { RemainingTime, RevocationState } from '../../../domain/remaining-time.tsx';
import { longDate } from '../../../lib/format.ts';
import { cardTrouble } from './card-line.ts';

const COLUMNS: readonly PrintedColumn<DomainWire>[] = [
  { label: 'Domain', cell: ({ display_name: name }) => <b className="font-semibold">{name}</b> },
  { label: 'Remaining', cell: (domain, now) => <RemainingTime domain={domain} now={now} short /> },
  { label: 'Expires On', cell: ({ expiry_date: end }) => end !== null && longDate(end) },
  { label: 'Revocation', cell: (domain) => <RevocationState domain={domain} place="start" /> },
  { label: 'Issuer', cell: ({ authority_name: authority, issuer }) => issuerLine(authority, issuer) },
  { label: 'Problem', cell: (domain, now) => cardTrouble(domain, now)?.title },
];

/** Prints all domains of the list. */
export function PrintedDomains({ filter }: { filter: ListFilter }) {
  return <PrintedList call={listDomains} query={{ ...filter }} what="domain" columns={COLUMNS} />;
}
