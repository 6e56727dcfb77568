import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { domainIds } from '../../../../contract/calls/domain.ts';
import { saveStatusPage, statusPage } from '../../../../contract/calls/status.ts';
import type { StatusPageChange, StatusPageWire } from '../../../../contract/status-page.ts';
import { call } from '../../../lib/api-client.ts';
import { ApiError, messageOf } from '../../../lib/api-error.ts';
import { listed } from '../../../lib/format.ts';
import { saveOnTop } from '../../../lib/merge-changes.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { toast } from '../../../ui/toast.tsx';
import { failureText } from '../../../ui/verify-address.tsx';
import {
  changeBetween,
  domainChoiceOf,
  type DraftErrors,
  draftOf,
  editOf,
  errorsOf,
  isSame,
  missingOf,
  normalisedDraft,
  overlapErrors,
  type PageDraft,
  type PageEdit,
  type PageStep,
  rebasedEdit,
  stepTo,
} from './page-draft.ts';

export const STATUS_PAGE_KEY = ['status-page'];

interface Sent extends PageStep {
  /** True if the step saves typed texts. If saving fails, texts stay as typed, whereas choices are undone. */
  hasTexts?: boolean;
  enabled?: boolean;
}

const NO_STEP: PageStep = { before: {}, after: {} };

/** Edits the status page and saves it. Applies each change to the page as the server has it, so that changes of other tabs stay. */
export function usePageEdit(page: StatusPageWire) {
  const [edit, setEdit] = useState(() => editOf(page));
  const [errors, setErrors] = useState<DraftErrors>({});
  const latest = useRef(edit);
  const put = useCallback((next: PageEdit) => {
    latest.current = next;
    setEdit(next);
  }, []);
  const rebase = useCallback<Rebase>(
    (newest, step) => {
      const { overlaps, ...next } = rebasedEdit(latest.current, draftOf(newest), step);
      put(next);
      const found = overlapErrors(overlaps, next.draft);
      const hasOverlaps = Object.keys(found).length > 0;
      if (hasOverlaps) setErrors(found);
      return hasOverlaps;
    },
    [put],
  );
  const { mutate, isPending, variables } = useSavePage(rebase, setErrors);
  // A refetch may bring changes of another tab.
  useEffect(() => void rebase(page, NO_STEP), [page, rebase]);

  const send = (step: PageStep, more: Omit<Sent, keyof PageStep> = {}) => {
    put({ ...latest.current, awaited: { ...latest.current.awaited, ...step.after } });
    mutate({ ...step, ...more });
  };
  const change = (part: Partial<PageDraft>) => {
    put({ ...latest.current, draft: { ...latest.current.draft, ...part } });
    setErrors({});
  };
  const sending = isPending
    ? variables.enabled !== undefined
      ? ('switch' as const)
      : variables.hasTexts
        ? ('texts' as const)
        : null
    : null;
  const isChanged = !isSame(edit.draft, edit.saved);
  return {
    draft: edit.draft,
    isChanged,
    /**
     * True if leaving the page would lose changes. Choices that were sent are saved even if the user leaves. Texts that were
     * sent may be refused, and only this page can show that.
     */
    isUnsent: sending === 'texts' ? isChanged : !isSame(edit.draft, edit.awaited),
    errors,
    change,
    flip: (part: Partial<PageDraft>) => {
      put({ ...latest.current, draft: { ...latest.current.draft, ...part } });
      if (page.slug !== null) send(stepTo(part, latest.current));
    },
    choose: (part: Partial<PageDraft>) => {
      change(part);
      if (page.slug === null || missingOf(latest.current.draft)) return;
      const { tags, domains } = errorsOf(latest.current.draft);
      if (tags ?? domains) setErrors({ tags, domains });
      else send(stepTo(domainChoiceOf(latest.current), latest.current));
    },
    save: (more: Pick<Sent, 'enabled'> = {}) => {
      const found = errorsOf(latest.current.draft);
      setErrors(found);
      if (Object.keys(found).length === 0)
        send(stepTo(normalisedDraft(latest.current.draft), latest.current), { hasTexts: true, ...more });
    },
    switchOff: () => mutate({ ...NO_STEP, enabled: false }),
    sending,
  };
}

/**
 * Updates the edit to the newest page. Returns true if another tab saved a typed text differently, which an error at its
 * field then says.
 */
type Rebase = (newest: StatusPageWire, step: Parameters<typeof rebasedEdit>[2]) => boolean;

function useSavePage(rebase: Rebase, setErrors: (errors: DraftErrors) => void) {
  const queryClient = useQueryClient();
  const showGone = async (sent: Partial<PageDraft>) => setErrors({ domains: await goneMessage(sent) });
  return useWrite({
    // Send changes one after the other, so that no answer is older than a change that followed it.
    scope: { id: 'status-page' },
    // The answer to an earlier read must not replace the answer of this call.
    onMutate: () => queryClient.cancelQueries({ queryKey: STATUS_PAGE_KEY }),
    mutationFn: ({ before, after, enabled }: Sent) =>
      saveOnTop(
        { lock: 'status-page', before, after },
        {
          read: () => call(statusPage, {}),
          valuesOf: draftOf,
          write(merged, newest) {
            const change = changeBetween(draftOf(newest), merged);
            if (isChoice(change) && missingOf(merged)) return null;
            if (enabled === undefined && Object.keys(change).length === 0) return Promise.resolve(newest);
            return call(saveStatusPage, { body: { ...change, ...(enabled !== undefined && { enabled }) } });
          },
          show: (newest) => queryClient.setQueryData(STATUS_PAGE_KEY, newest),
        },
      ),
    onSuccess: (answer, { enabled, ...step }) => {
      rebase(answer, step);
      queryClient.setQueryData(STATUS_PAGE_KEY, answer);
      toast.success(
        enabled === undefined
          ? 'Status page saved.'
          : enabled
            ? 'Status page switched on.'
            : 'Status page switched off.',
      );
    },
    onError: (error, { hasTexts = false, ...step }) => {
      const newest = queryClient.getQueryData<StatusPageWire>(STATUS_PAGE_KEY);
      const code = error instanceof ApiError ? error.code : null;
      const hasOverlaps = newest && rebase(newest, { ...step, keepsDraft: hasTexts || code === 'not_found' });
      if (code === 'address_taken') setErrors({ slug: messageOf(error) });
      else if (code === 'not_found') void showGone(step.after);
      else if (!hasOverlaps) toast.error(failureText(error, 'Could not save the change: '));
    },
  });
}

const isChoice = ({ shows, tags, domains }: StatusPageChange): boolean =>
  (shows ?? tags ?? domains) !== undefined;

/** Returns which of the sent domains another tab has removed from the account. */
async function goneMessage({ domains = [] }: Partial<PageDraft>): Promise<string> {
  const { ids } = await call(domainIds, { query: {} }).catch(() => ({ ids: [] }));
  const tracked = new Set<string>(ids);
  const gone = tracked.size === 0 ? [] : domains.filter(({ id }) => !tracked.has(id)).map(({ name }) => name);
  return `You no longer track ${gone.length > 0 ? listed(gone) : 'one of these domains'}. Remove it from the page.`;
}
