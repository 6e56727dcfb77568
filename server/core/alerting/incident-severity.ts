import { alertSteps } from '../alert-steps.ts';
import type { AlertFacts, AlertSeverity, AlertStep, Problem } from './alert.ts';

/**
 * How bad an incident is at `now` (ms UTC), as its next message would be: the end of a certificate becomes critical as it
 * comes near. `step`: the one whose words say what is wrong.
 */
export function incidentSeverity(
  { problem, step, facts }: { problem: Problem; step: AlertStep; facts: Pick<AlertFacts, 'certificate'> },
  now: number,
): Exclude<AlertSeverity, 'info'> {
  if (problem === 'changed' || problem === 'replacement_wanted') return 'warning';
  if (problem !== 'expiry') return step === 'flapping' || step === 'some_clients' ? 'warning' : 'critical';
  const critical = facts.certificate && alertSteps(facts.certificate).find((one) => one.step === 'critical');
  return critical && now < critical.at ? 'warning' : 'critical';
}
