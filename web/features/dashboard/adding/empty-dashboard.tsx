import { Plus } from 'lucide-react';
import { useEffect, useEffectEvent, useId, useRef } from 'react';
import { HOST_TO_WATCH, useDraft } from '../../../lib/drafts.ts';
import { usePublicConfig } from '../../../lib/public-config.ts';
import { useSubscription } from '../../../lib/account/plan.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { FieldError, inputClass } from '../../../ui/form/field.tsx';
import { LITERAL } from '../../../ui/form/search-field.tsx';
import { Spinner } from '../../../ui/loading.tsx';
import { type AddDomainOutcome, ENDPOINT_HINT, HOST_INPUT, useAddDomain } from './use-add-domain.ts';
import { HostObstacle } from './host-obstacle.tsx';
import { useDashboardKeys } from '../keyboard/use-dashboard-keys.ts';
import { HorizonPreview } from './horizon-preview.tsx';

type EmptyDashboardProps = AddDomainOutcome & { onAdd: () => void; onAddMany: () => void };

/** Asks for the first host; in the demo also lists hosts to try. */
export function EmptyDashboard({ onAdd, onAddMany, ...outcome }: EmptyDashboardProps) {
  const { product_name: productName, limits } = usePublicConfig();
  const { isSubscribed } = useSubscription();
  useDashboardKeys(({ type: command }) => {
    if (command !== 'add') return false;
    onAdd();
    return true;
  });
  const adding = useAddDomain(outcome);
  const { host, leave, submit } = adding;
  const [chosen, , clearChosen] = useDraft(HOST_TO_WATCH);
  const addChosen = useEffectEvent(() => {
    clearChosen();
    if (chosen === host) submit(chosen);
  });
  useEffect(() => {
    // The visitor chose this host on the landing page.
    if (chosen !== '') addChosen();
  }, [chosen]);
  return (
    <div className="wrap pt-5 pb-12">
      <p className="flex justify-end">
        <Button variant="outline" onClick={onAdd}>
          <Plus className="size-3.5" strokeWidth={1.8} aria-hidden="true" />
          Add Domain
        </Button>
      </p>
      <div className="mx-auto mt-9 max-w-[560px] text-center md:mt-16">
        <HorizonPreview />
        <h1 tabIndex={-1} className="mt-8 text-[24px]/8 font-bold tracking-[-.02em]">
          Add your first domain
        </h1>
        <p className="mt-2 text-lead text-balance text-fg-2">
          {productName} reads its certificate, shows when it expires, and emails you before that day.
        </p>
        <FirstHostForm adding={adding} onShow={outcome.onShow} />
        <p className="mt-3.5 text-label text-fg-3">
          {isSubscribed ? null : `${limits.free_domains} domains free. Daily checks. `}
          Type a hostname or paste a URL. {ENDPOINT_HINT}
        </p>
        <Button
          variant="ghost"
          size="small"
          className="mt-1 text-accent-fg!"
          onClick={() => {
            leave();
            onAddMany();
          }}
        >
          Import domains
        </Button>
        <DemoHosts adding={adding} />
      </div>
    </div>
  );
}

interface HostFormProps {
  adding: ReturnType<typeof useAddDomain>;
}

function FirstHostForm({ adding, onShow }: HostFormProps & Pick<AddDomainOutcome, 'onShow'>) {
  const { host, error, obstacle, isBusy, type, submit } = adding;
  const input = useRef<HTMLInputElement>(null);
  const errorId = useId();
  const problem = error?.message ?? (obstacle && <HostObstacle obstacle={obstacle} onShow={onShow} />);
  return (
    <form
      noValidate
      className="mx-auto mt-6 flex max-w-[460px] flex-col gap-2 md:flex-row md:items-start"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
        input.current?.focus();
      }}
    >
      <div className="flex-1 text-left">
        <input
          ref={input}
          aria-label="Host Address"
          {...HOST_INPUT}
          {...LITERAL}
          value={host}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? errorId : undefined}
          onChange={(event) => type(event.target.value)}
          className={classNames(inputClass(Boolean(problem)), 'font-mono md:min-h-11')}
        />
        {problem && <FieldError id={errorId}>{problem}</FieldError>}
      </div>
      <Button type="submit" busy={isBusy} className="min-h-11! px-5 text-lead">
        {obstacle?.domainId === null ? 'Add anyway' : 'Add Domain'}
      </Button>
    </form>
  );
}

/** Lists hosts of the demo, which a click adds. */
function DemoHosts({ adding: { host, isBusy, type, submit } }: HostFormProps) {
  const { demo_hosts: demoHosts } = usePublicConfig();
  const id = useId();
  if (demoHosts.length === 0) return null;
  return (
    <section aria-labelledby={id} className="mt-8 border-t border-line pt-6">
      <h2 id={id} className="text-label font-semibold">
        Or start with a host of this demo
      </h2>
      <ul className="mt-3 flex flex-wrap justify-center gap-2">
        {demoHosts.map((demoHost) => (
          <li key={demoHost} className="max-w-full">
            <Button
              variant="outline"
              size="small"
              disabled={isBusy}
              className="max-w-full font-mono"
              onClick={() => {
                type(demoHost);
                submit(demoHost);
              }}
            >
              {isBusy && host === demoHost && <Spinner className="size-3.5" />}
              <span className="truncate">{demoHost}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
