import { DEFAULT_ALERT_STEPS, EARLIEST_STEP_SHARE } from '../../../contract/words.ts';
import { STATE_NAMES } from '../../../contract/state/state-words.ts';
import { sortedSteps, stepWords } from '../../lib/alerts/delivery-words.ts';

/** Lifetimes in days that CAs use now or will use. */
const LIFETIMES = [200, 90, 47, 6];

interface StepRow {
  name: string;
  /** Returns the days left when the step comes, for a lifetime in days. */
  daysLeft: (lifetime: number) => number;
}

/** Shows when each step comes for usual lifetimes. `steps` as in the contract: null means automatic. */
export function StepsTable({ steps }: { steps: readonly string[] | null }) {
  return (
    <table className="num w-full border-collapse text-left text-meta">
      <caption className="pb-2 text-left text-fg-2">
        {steps === null
          ? 'Time left when we alert you. Steps come later for short lifetimes; the last one is the expiry.'
          : 'Time left when we alert you. A step that is too early for a lifetime comes when half of it is left.'}
      </caption>
      <thead className="text-fg-3">
        <tr>
          <th scope="col" className="py-1 pr-2 font-medium">
            Valid for
          </th>
          {LIFETIMES.map((lifetime) => (
            <th key={lifetime} scope="col" className="py-1 pl-2 text-right font-medium whitespace-nowrap">
              {lifetime} days
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rowsOf(steps).map(({ name, daysLeft }) => (
          <tr key={name} className="border-t border-line">
            <th scope="row" className="py-1.5 pr-2 font-normal text-fg-2">
              {name}
            </th>
            {LIFETIMES.map((lifetime) => (
              <td key={lifetime} className="py-1.5 pl-2 text-right whitespace-nowrap">
                {timeText(daysLeft(lifetime))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns '22 d', or '40 h' below two days. */
function timeText(days: number): string {
  return days >= 2 ? `${Math.floor(days)} d` : `${Math.floor(days * 24)} h`;
}

function rowsOf(steps: readonly string[] | null): StepRow[] {
  if (steps === null)
    return DEFAULT_ALERT_STEPS.map(({ step, days, share }) => ({
      name: step === 'renewal_overdue' ? STATE_NAMES.overdue : stepWords(`${days}d`),
      daysLeft: (lifetime) => Math.min(days, share * lifetime),
    }));
  return sortedSteps(steps).map((step) => {
    const amount = Number.parseInt(step, 10);
    return {
      name: stepWords(step),
      daysLeft: (lifetime) =>
        step.endsWith('%') ? (amount / 100) * lifetime : Math.min(amount, EARLIEST_STEP_SHARE * lifetime),
    };
  });
}
