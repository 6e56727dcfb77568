import { Check } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import type { ProductWire } from '../../../contract/payment.ts';
import { counted } from '../../lib/format.ts';
import { usePublicConfig } from '../../lib/public-config.ts';
import type { UpgradeReason } from '../../lib/account/plan.ts';
import type { TrialOffer } from '../../lib/account/trial.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions, type DialogProps } from '../../ui/dialog.tsx';
import { FieldError } from '../../ui/form/field.tsx';
import { priceText } from './price.ts';
import { TestModeMark } from './test-mode-mark.tsx';

interface UpgradeDialogProps extends Pick<DialogProps, 'focusAfterClose'> {
  /** Why the dialog is open; null while closed. */
  reason: UpgradeReason | null;
  onClose: () => void;
  /** The product on offer; null while it is unknown or if nothing is sold. */
  product: ProductWire | null;
  isLoading: boolean;
  /** Loads the products again. */
  onRetry: () => void;
  isStarting: boolean;
  onStart: (product: ProductWire) => void;
  /** Why the checkout did not open. */
  problem: string | null;
  /** The trial; null if the account cannot start it. */
  trial: TrialOffer | null;
}

/** Compares the two plans and leads to the checkout. */
export function UpgradeDialog(props: UpgradeDialogProps) {
  const { reason, onClose, product, isLoading, onRetry, isStarting, onStart, problem, trial } = props;
  const { limits, billing } = usePublicConfig();
  const start = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      open={reason !== null}
      onOpenChange={(open) => (open ? undefined : onClose())}
      title="Supercharge Your Monitoring with Premium"
      description={
        reason === 'limit' && `The Free plan is limited to ${counted(limits.free_domains, 'domain')}.`
      }
      focusAfterClose={props.focusAfterClose}
      focusFirst={() => start.current}
      hasCross
    >
      {billing.mode === 'paddle' && billing.environment === 'sandbox' && (
        <TestModeMark>Sandbox: no real charges</TestModeMark>
      )}
      <PlanTable freeDomains={limits.free_domains} />
      <p className="mt-3 text-label text-fg-2">Includes real-time alerts and webhook support.</p>
      {trial && (
        <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-3 rounded-3 border border-line bg-sunken py-3 pr-3 pl-4">
          <p className="min-w-0 flex-1 basis-48 text-label text-fg-2">
            <b className="font-[570] text-fg">Try Premium for {trial.days} days first.</b> No credit card
            required.
          </p>
          <Button variant="outline" className="max-md:w-full" busy={trial.isStarting} onClick={trial.start}>
            Start free trial
          </Button>
        </div>
      )}
      {problem !== null && <FieldError>{problem}</FieldError>}
      {!isLoading && product === null && (
        <p className="mt-3 text-label text-fg-2">
          Could not load the price. <LinkButton onClick={onRetry}>Try again</LinkButton>
        </p>
      )}
      <DialogActions>
        <CancelButton onClick={onClose} />
        <Button
          ref={start}
          // Not `disabled`, because the button has the focus while the price loads.
          inactive={product === null}
          busy={isLoading || isStarting}
          onClick={() => product && onStart(product)}
        >
          {product ? `Start Premium – Only ${priceText(product)}/month` : 'Start Premium'}
        </Button>
      </DialogActions>
      <p className="mt-3 text-center text-meta text-fg-3 md:text-right">
        Cancel anytime. 7-day money-back guarantee.
      </p>
    </Dialog>
  );
}

function PlanTable({ freeDomains }: { freeDomains: number }) {
  const yes = (
    <span className="flex items-center gap-[7px]">
      <Check className="size-4" strokeWidth={1.6} aria-hidden="true" />
      Yes
    </span>
  );
  return (
    <table className="mt-[18px] w-full border-collapse text-left text-body">
      <thead className="text-label text-fg-3">
        <tr>
          <th scope="col">
            <span className="sr-only">What you get</span>
          </th>
          <th scope="col" className={`${CELL} font-medium`}>
            Free
          </th>
          <th scope="col" className={`${CELL} rounded-t-3 bg-accent-soft font-medium text-accent-fg`}>
            Premium
          </th>
        </tr>
      </thead>
      <tbody>
        <Row label="Tracked Domains" free={freeDomains} premium="Unlimited" />
        <Row label="Email Alerts" free={yes} premium={yes} />
        <Row label="Monitoring Frequency" free="Daily" premium="Up to every 10 minutes" />
      </tbody>
    </table>
  );
}

const CELL = 'px-2.5 py-2.5 md:px-4';

function Row({ label, free, premium }: { label: string; free: ReactNode; premium: ReactNode }) {
  const cell = 'border-t border-line px-2.5 py-[13px] md:px-4';
  return (
    <tr className="group">
      <th scope="row" className={`${cell} pl-0! font-normal text-fg-2`}>
        {label}
      </th>
      <td className={`${cell} num`}>{free}</td>
      <td className={`${cell} bg-accent-soft font-[570] group-last:rounded-b-3 [&_svg]:text-accent-fg`}>
        {premium}
      </td>
    </tr>
  );
}
