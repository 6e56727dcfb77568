import { useQuery } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { statusPage } from '../../../../contract/calls/status.ts';
import type { StatusPageWire } from '../../../../contract/status-page.ts';
import { call } from '../../../lib/api-client.ts';
import { sentenceOf } from '../../../lib/api-error.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckboxLine } from '../../../ui/form/checkbox-line.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { Field } from '../../../ui/form/field.tsx';
import { usePageTitle } from '../../../ui/page-title.ts';
import { Row } from '../../../ui/form/row.tsx';
import { HAS_ROOM_FOR_PREVIEW, SettingsPage } from '../../../ui/form/settings-page.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { VerifyFirst } from '../../../ui/verify-address.tsx';
import { useMediaQuery } from '../../../lib/use-media-query.ts';
import { AddressField } from './address-field.tsx';
import { suggestedAddress } from './page-draft.ts';
import { PagePreview } from './page-preview.tsx';
import { PublishedRow } from './published-row.tsx';
import { STATUS_PAGE_KEY, usePageEdit } from './use-page-edit.ts';
import { WhichDomains } from './which-domains.tsx';

const SHOWN_PARTS = [
  { key: 'showCertificates', label: 'Certificates', note: 'Days until expiry, and problems' },
  { key: 'showUptime', label: 'Uptime', note: 'The downtime of each day and the uptime percentage' },
  {
    key: 'showIncidents',
    label: 'Incidents',
    note: 'When domains were down and for how long, without the reason',
  },
] as const;

const PREVIEW_NOTE = 'The page with your unsaved choices, as visitors see it.';

/** Edits the account's status page. */
export function StatusSettingsPage() {
  usePageTitle('Status page');
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: STATUS_PAGE_KEY,
    queryFn: ({ signal }) => call(statusPage, { signal }),
    // Another tab may have changed the page.
    refetchOnWindowFocus: 'always',
  });
  if (data) return <Settings page={data} />;
  return (
    <SettingsPage title="Status page">
      {error ? (
        <div role="alert" className="mt-7">
          <p className="text-fg-2">Could not load your status page: {sentenceOf(error)}</p>
          <Button
            variant="outline"
            size="small"
            className="mt-3"
            busy={isFetching}
            onClick={() => void refetch()}
          >
            Try again
          </Button>
        </div>
      ) : (
        <div aria-busy="true" className="grid min-h-screen content-start gap-7 pt-7">
          <span className="sr-only">Loading...</span>
          {[0, 1, 2].map((row) => (
            <Skeleton key={row} className="h-28 w-full" />
          ))}
        </div>
      )}
    </SettingsPage>
  );
}

/** Edits the page. Texts are saved by a button. Switches and choices are saved at once if the page already has an address. */
function Settings({ page }: { page: StatusPageWire }) {
  const edit = usePageEdit(page);
  const { draft, isChanged, errors, change, flip, choose, save, switchOff, sending } = edit;
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const wrong = Object.keys(errors)[0];
    if (wrong !== undefined) form.current?.querySelector<HTMLElement>(`[name=${wrong}]`)?.focus();
  }, [errors]);

  const hasRoom = useMediaQuery(HAS_ROOM_FOR_PREVIEW);
  const preview = <PagePreview draft={draft} />;
  return (
    <SettingsPage title="Status page" {...(hasRoom && { preview, previewNote: PREVIEW_NOTE })}>
      <div ref={form}>
        <VerifyFirst to="to publish a status page" />
        <Row
          title="Published"
          description="A page about your domains that anyone can open without an account."
        >
          <PublishedRow
            page={page}
            isChanged={isChanged}
            isPending={sending === 'switch'}
            onSwitchOn={() => save({ enabled: true })}
            onSwitchOff={switchOff}
          />
        </Row>
        <Row title="Title and address" description="The name and address of the page.">
          <TitleAndAddress page={page} edit={edit} />
        </Row>
        <Row
          title="Domains"
          description="Domains on the page. It never shows tags, notes or other account data."
        >
          <WhichDomains
            draft={draft}
            errors={errors}
            isChanged={isChanged}
            onChoose={choose}
            onRename={change}
          />
        </Row>
        <Row title="What the page shows" description="In addition to whether each domain is up.">
          {SHOWN_PARTS.map(({ key, label, note }) => (
            <CheckboxLine
              key={key}
              label={label}
              note={note}
              checked={draft[key]}
              onChange={(isShown) => flip({ [key]: isShown })}
            />
          ))}
        </Row>
        {!hasRoom && (
          <section className="py-7">
            <h2 className="text-lead/5 font-semibold">Preview</h2>
            <p className="mt-1 mb-4 text-[13.5px]/5 text-fg-2">{PREVIEW_NOTE}</p>
            {preview}
          </section>
        )}
        <div className="sticky bottom-(--tabs) -mx-4 flex items-center gap-3 border-t border-line bg-bg px-4 py-3 max-md:-mb-14 md:-mx-7 md:px-7 xl:mx-0 xl:px-0">
          <Button
            className="max-md:flex-1"
            inactive={!isChanged}
            busy={sending === 'texts'}
            onClick={() => save()}
          >
            Save
          </Button>
          <span className="text-label text-fg-3 empty:hidden">{savedLine(isChanged, page)}</span>
        </div>
        <LeaveQuestion isChanged={isChanged} isUnsent={edit.isUnsent} />
      </div>
    </SettingsPage>
  );
}

/** Returns whether all changes are saved, in words; null for a page that was never saved or changed. */
function savedLine(isChanged: boolean, { slug }: StatusPageWire): string | null {
  if (isChanged) return 'Unsaved changes';
  return slug === null ? null : 'All changes saved';
}

interface TitleAndAddressProps {
  page: StatusPageWire;
  edit: ReturnType<typeof usePageEdit>;
}

function TitleAndAddress({ page, edit: { draft, errors, change, flip } }: TitleAndAddressProps) {
  // Until the user edits the address, it follows the title.
  const isSuggested = page.slug === null && draft.slug === suggestedAddress(draft.title);
  return (
    <div className="grid gap-4">
      <Field
        label="Title"
        name="title"
        value={draft.title}
        maxLength={80}
        error={errors.title}
        onChange={({ target: { value: title } }) =>
          change({ title, ...(isSuggested && { slug: suggestedAddress(title) }) })
        }
      />
      <AddressField
        slug={draft.slug}
        saved={page.slug}
        error={errors.slug}
        onChange={(slug) => change({ slug })}
      />
      <CheckboxLine
        label="Search engines may list the page"
        note="Otherwise, only people who have the link can find it."
        checked={draft.listed}
        onChange={(listed) => flip({ listed })}
      />
    </div>
  );
}

/** Asks before the user leaves the page with unsaved changes. */
function LeaveQuestion({ isChanged, isUnsent }: { isChanged: boolean; isUnsent: boolean }) {
  const leaving = useBlocker({
    // No question after a logout or an expired session.
    shouldBlockFn: ({ current, next }) =>
      isUnsent && next.pathname !== current.pathname && next.pathname !== '/login',
    // Closing the tab may also abort a request.
    enableBeforeUnload: isChanged,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      open={leaving.status === 'blocked'}
      onOpenChange={() => leaving.reset?.()}
      title="Leave without saving?"
      description="Your changes on this page will be lost."
      confirmLabel="Leave"
      processing={false}
      onConfirm={() => leaving.proceed?.()}
    />
  );
}
