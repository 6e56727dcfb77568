import { type AlertCertificate, shortLine } from '../../core/index.ts';
import { type AlertContent, type AlertMessageInput, issuedCertificate } from './alert-input.ts';

const LONGEST_TEXT = 600;

/** Returns an alert for programs. Names and sentences contain text of strangers, on one line each. */
export function alertData(
  input: AlertMessageInput,
  { heading, button, severity }: Pick<AlertContent, 'heading' | 'button' | 'severity'>,
): Record<string, unknown> {
  const { alert, monitor } = input;
  const { facts, kind, step, incidentId } = alert;
  const sentence = typeof heading === 'string' ? heading : `${heading.before}${heading.host}${heading.after}`;
  return {
    domain:
      monitor === null
        ? null
        : { id: monitor.id, hostname: monitor.host, port: monitor.port, url: button.url },
    certificate: facts.certificate && certificateData(facts.certificate, input),
    successor: facts.successor && certificateData(facts.successor, input),
    incident:
      incidentId === null
        ? null
        : {
            id: incidentId,
            problem: kind,
            started_at: iso(facts.startedAt),
            ended_at: facts.endedAt === null ? null : iso(facts.endedAt),
          },
    step,
    severity,
    as_of: iso(facts.asOf),
    message: shortLine(facts.message ?? sentence, LONGEST_TEXT),
    fix: facts.fix === null ? null : shortLine(facts.fix, LONGEST_TEXT),
  };
}

function certificateData(
  { fingerprint, name, role, notBefore, notAfter }: AlertCertificate,
  input: AlertMessageInput,
): Record<string, unknown> {
  const issued = issuedCertificate(input);
  const known = issued?.fingerprint === fingerprint ? issued : null;
  return {
    name: shortLine(name, LONGEST_TEXT),
    role,
    fingerprint,
    serial_number: known?.serialNumber ?? null,
    issuer: known === null ? null : shortLine(known.issuer, LONGEST_TEXT),
    not_before: iso(notBefore),
    not_after: iso(notAfter),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
