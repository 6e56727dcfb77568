import { useState } from 'react';
import { useDraft } from '../../lib/drafts.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Dialog, type DialogProps } from '../../ui/dialog.tsx';
import { VerifyFirst } from '../../ui/verify-address.tsx';
import type { PlannedLine } from './import-plan.ts';
import { PlanStep } from './plan-step.tsx';
import { WriteStep } from './write-step.tsx';

export type ImportDialogProps = Pick<DialogProps, 'open' | 'onOpenChange' | 'focusAfterClose'>;

/** Leads through the import: input, preview and results. */
export function ImportDialog({ open, onOpenChange, focusAfterClose }: ImportDialogProps) {
  const [isRunning, setRunning] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const close = () => onOpenChange(false);
  return (
    <>
      <Dialog
        open={open}
        onOpenChange={(next) => (next ? onOpenChange(true) : isRunning ? setAsked(true) : close())}
        title="Import domains"
        description="Paste hosts or choose a file. You see a preview before anything is added."
        focusAfterClose={focusAfterClose}
        hasCross
        wide
      >
        <VerifyFirst to="to import domains" />
        <ImportSteps onClose={close} onRunning={setRunning} />
      </Dialog>
      <ConfirmDialog
        open={isAsked && isRunning}
        onOpenChange={setAsked}
        title="Stop adding?"
        description="Domains added so far stay; the rest is not added. Pasted text stays in the import dialog."
        confirmLabel="Stop"
        processing={false}
        onConfirm={() => {
          setAsked(false);
          setRunning(false);
          close();
        }}
      />
    </>
  );
}

interface ImportStepsProps {
  onClose: () => void;
  onRunning: (isRunning: boolean) => void;
}

/** Keeps the pasted text until the import is finished or discarded. */
function ImportSteps({ onClose, onRunning }: ImportStepsProps) {
  const [text, setText, clear] = useDraft('import');
  const [planned, setPlanned] = useState<{ plan: PlannedLine[]; source: string } | null>(null);
  const finish = () => {
    clear();
    onClose();
  };
  if (!planned)
    return (
      <WriteStep
        text={text}
        onType={setText}
        onPlan={(plan, source) => setPlanned({ plan, source })}
        onCancel={finish}
      />
    );
  return (
    <PlanStep
      {...planned}
      onBack={() => setPlanned(null)}
      onFinish={finish}
      onLeave={onClose}
      onRunning={onRunning}
    />
  );
}
