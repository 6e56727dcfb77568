import { useId, useState } from 'react';
import { addMaintenance } from '../../../lib/alerts/alert-calls.ts';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useForm } from '../../../lib/form.ts';
import { browserTimeZone } from '../../../lib/time-zone.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { SelectField } from '../../../ui/select-field.tsx';
import { toast } from '../../../ui/toast.tsx';
import { domainNamed, useDomainNames } from './domain-names.ts';
import { typedWindowSchema, usualWindow } from './typed-window.ts';

interface MaintenanceDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Takes a window of planned work. */
export function MaintenanceDialog({ open, onOpenChange }: MaintenanceDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Plan maintenance"
      description="Checks go on. What is still wrong at the end is told then."
    >
      <WindowForm onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function WindowForm({ onDone }: { onDone: () => void }) {
  const listId = useId();
  const reread = useRereadAlerts();
  const [initial] = useState(() => ({ domain: '', ...usualWindow(Date.now()), weekly: 'never', note: '' }));
  const { field, values, submit, busy, refuse } = useForm(typedWindowSchema, initial);
  const names = useDomainNames(values.domain);

  const save = submit(async ({ domain, window }) => {
    try {
      const domainId = domain === '' ? null : await domainNamed(domain);
      if (domain !== '' && domainId === null) {
        refuse('domain', `You track no “${domain}”. Choose one of your domains, or none for all.`);
        return;
      }
      await addMaintenance({ ...window, domain_id: domainId });
    } catch (error) {
      toast.error(`The maintenance was not planned: ${messageOf(error)}`);
      return;
    }
    reread();
    toast.success('The maintenance is planned.');
    onDone();
  });
  return (
    <form noValidate className="mt-5 grid gap-4" onSubmit={save}>
      <Field
        {...field('domain')}
        label="Domain"
        placeholder="All domains"
        mono={values.domain !== ''}
        list={listId}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        hint="Empty: all of them"
      />
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field {...field('from')} label="From" type="datetime-local" />
        <Field
          {...field('to')}
          label="To"
          type="datetime-local"
          hint={`By the clock of this device, ${browserTimeZone().replaceAll('_', ' ')}`}
        />
      </div>
      <SelectField {...field('weekly')} label="Repeats">
        <option value="never">Never</option>
        <option value="weekly">Every week</option>
      </SelectField>
      <Field
        {...field('note')}
        label="Note"
        aside="Optional"
        maxLength={200}
        placeholder="Moving the servers"
      />
      <DialogActions>
        <Button variant="outline" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" busy={busy}>
          Plan maintenance
        </Button>
      </DialogActions>
    </form>
  );
}
