import { useId, useState } from 'react';
import { addMaintenance } from '../../../../contract/calls/alert.ts';
import { useRereadAlerts } from '../../../lib/alerts/alert-queries.ts';
import { call } from '../../../lib/api-client.ts';
import { useForm } from '../../../lib/form.ts';
import { Button } from '../../../ui/button.tsx';
import { CancelButton, Dialog, DialogActions, type OpenState } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { LITERAL } from '../../../ui/form/search-field.tsx';
import { SelectField } from '../../../ui/form/select-field.tsx';
import { TimeField } from '../../../ui/form/time-field.tsx';
import { minuteOfDay } from '../../../ui/form/time-of-day.ts';
import { toast } from '../../../ui/toast.tsx';
import { typedWindowSchema, usualWindow } from './typed-window.ts';
import { useQuery } from '@tanstack/react-query';
import { listDomains } from '../../../../contract/calls/domain.ts';
import { currentZoneName } from '../../../../contract/time-zone.ts';
import { browserTimeZone } from '../../../lib/format.ts';

const REPEATS = [
  { value: 'never', label: 'Never' },
  { value: 'weekly', label: 'Every week' },
];

/** Plans a maintenance window. */
export function MaintenanceDialog({ open, onOpenChange }: OpenState) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Plan maintenance"
      description="Checks continue. We alert you at the end about problems that remain."
    >
      <WindowForm onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function WindowForm({ onDone }: { onDone: () => void }) {
  const listId = useId();
  const reread = useRereadAlerts();
  const [initial] = useState(() => ({ domain: '', ...usualWindow(Date.now()), weekly: 'never', note: '' }));
  const [fromMinute, setFromMinute] = useState(() => minuteOfDay(initial.from_time) ?? 0);
  const [toMinute, setToMinute] = useState(() => minuteOfDay(initial.to_time) ?? 0);
  const { field, choice, values, submit, busy, refuse } = useForm(typedWindowSchema, initial);
  const names = useDomainNames(values.domain);

  const save = submit(async ({ domain, window }) => {
    try {
      const domainId = domain === '' ? null : await domainNamed(domain);
      if (domain !== '' && domainId === null) {
        refuse(
          'domain',
          `You do not track “${domain}”. Choose one of your domains, or leave the field empty for all.`,
        );
        return;
      }
      await call(addMaintenance, { body: { ...window, domain_id: domainId } });
    } catch (error) {
      toast.failed('Could not plan the maintenance', error);
      return;
    }
    void reread();
    toast.success('Maintenance planned.');
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
        {...LITERAL}
        hint="Leave empty for all domains"
      />
      <datalist id={listId}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      <div className="grid gap-4">
        <div className="grid grid-cols-[1fr_auto] gap-3">
          <Field {...field('from_day')} label="From" type="date" />
          <TimeField label="Start time" name="from_time" minute={fromMinute} onChange={setFromMinute} />
        </div>
        <div className="grid grid-cols-[1fr_auto] gap-3">
          <Field {...field('to_day')} label="To" type="date" />
          <TimeField label="End time" name="to_time" minute={toMinute} onChange={setToMinute} />
        </div>
        <p className="-mt-2 text-label text-fg-3">
          In this device’s time zone, {currentZoneName(browserTimeZone()).replaceAll('_', ' ')}
        </p>
      </div>
      <SelectField {...choice('weekly')} label="Repeats" options={REPEATS} />
      <Field
        {...field('note')}
        label="Note"
        aside="Optional"
        maxLength={200}
        placeholder="Moving the servers"
      />
      <DialogActions>
        <CancelButton onClick={onDone} />
        <Button type="submit" busy={busy}>
          Plan maintenance
        </Button>
      </DialogActions>
    </form>
  );
}

interface NamedDomain {
  id: string;
  name: string;
}

async function searchDomains(typed: string, signal?: AbortSignal): Promise<NamedDomain[]> {
  const query = { q: typed === '' ? undefined : typed };
  const { data } = await call(listDomains, { query, signal });
  return data.map(({ id, display_name: name }) => ({ id, name }));
}

/** Returns the names of up to a few domains that match what is typed. */
function useDomainNames(typed: string): string[] {
  const { data } = useQuery({
    queryKey: ['domain-names', typed.trim()],
    queryFn: ({ signal }) => searchDomains(typed.trim(), signal),
  });
  return data?.map(({ name }) => name) ?? [];
}

/** Returns the id of the domain with exactly this name; null if the account has none. */
async function domainNamed(name: string): Promise<string | null> {
  const found = await searchDomains(name);
  return found.find((domain) => domain.name === name.toLowerCase())?.id ?? null;
}
