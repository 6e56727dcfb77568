import type { AlertKind, AlertStep } from './alert.ts';

/** The stable names of events, as webhooks carry them. */
export type AlertEvent =
  | 'certificate.renewal_overdue'
  | 'certificate.expiring'
  | 'certificate.expired'
  | 'certificate.renewed'
  | 'certificate.changed'
  | 'certificate.wrong_name'
  | 'certificate.name_fixed'
  | 'certificate.chain_broken'
  | 'certificate.chain_fixed'
  | 'certificate.revoked'
  | 'certificate.replaced'
  | 'certificate.replacement_wanted'
  | 'endpoint.down'
  | 'endpoint.up'
  | 'endpoint.flapping'
  | 'test';

/** Returns the event name of an alert. */
export function alertEvent(kind: AlertKind, step: AlertStep): AlertEvent {
  const isOver = step === 'resolved';
  switch (kind) {
    case 'expiry':
      if (isOver) return 'certificate.renewed';
      if (step === 'expired') return 'certificate.expired';
      return step === 'renewal_overdue' ? 'certificate.renewal_overdue' : 'certificate.expiring';
    case 'revoked':
      return isOver ? 'certificate.replaced' : 'certificate.revoked';
    case 'wrong_name':
      return isOver ? 'certificate.name_fixed' : 'certificate.wrong_name';
    case 'chain_broken':
      return isOver ? 'certificate.chain_fixed' : 'certificate.chain_broken';
    case 'changed':
      return 'certificate.changed';
    case 'replacement_wanted':
      return isOver ? 'certificate.replaced' : 'certificate.replacement_wanted';
    case 'down':
      if (isOver) return 'endpoint.up';
      return step === 'flapping' ? 'endpoint.flapping' : 'endpoint.down';
    default:
      return 'test';
  }
}
