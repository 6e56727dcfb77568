import { useQuery, useQueryClient } from '@tanstack/react-query';
import { wrapped, nothing } from '../../../../contract/calls/call.ts';
import { badgeSchema } from '../../../../contract/status-page.ts';
import { api } from '../../../lib/api-client.ts';
import { messageOf } from '../../../lib/api-error.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useKeptFocus } from '../../../ui/use-kept-focus.ts';
import { SectionError } from '../panel/panel-section.tsx';
import { htmlSnippet, markdownSnippet } from './badge-snippets.ts';

const badgeAnswer = wrapped(badgeSchema);
const pathOf = (id: string) => `/domain/${encodeURIComponent(id)}/badge`;

/** Switches the badge on and off, shows it, and gives what makes another page show it. */
export function BadgeSwitch({ id, name }: { id: string; name: string }) {
  const queryClient = useQueryClient();
  const focus = useKeptFocus<HTMLDivElement>();
  const key = ['badge', id];
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => (await api(pathOf(id), { schema: badgeAnswer, signal })).data,
  });
  const { mutate, isPending } = useWrite({
    mutationFn: async (isOn: boolean) =>
      isOn
        ? (await api(pathOf(id), { method: 'POST', schema: badgeAnswer })).data
        : (await api(pathOf(id), { method: 'DELETE', schema: nothing })).data,
    onSuccess: (badge) => queryClient.setQueryData(key, badge),
    onError: (failure) => toast.error(`Nothing was changed: ${messageOf(failure)}`),
  });
  if (error)
    return (
      <SectionError
        title="The badge could not be loaded"
        error={error}
        isRetrying={isFetching}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Skeleton className="h-9 w-40" />;
  if (data === null)
    return (
      <div {...focus}>
        <p className="mb-3 text-label text-fg-2">
          Off. Switched on, it has an address that nobody can guess; whoever you give it to sees the state of
          the certificate, and nothing else.
        </p>
        <Button variant="outline" size="small" busy={isPending} onClick={() => mutate(true)}>
          Switch on the badge
        </Button>
      </div>
    );
  return (
    <div {...focus} className="grid justify-items-start gap-3">
      <img
        src={new URL(data.url).pathname}
        alt={`The badge of ${name} as it is now`}
        height={20}
        className="h-5"
      />
      <code className="block w-full rounded-2 border border-line bg-sunken px-2.5 py-2 text-small [overflow-wrap:anywhere] text-fg-2">
        {markdownSnippet(data.url, name)}
      </code>
      <div className="flex flex-wrap gap-2">
        <CopyTextButton label="Copy Markdown" text={markdownSnippet(data.url, name)} />
        <CopyTextButton label="Copy HTML" text={htmlSnippet(data.url, name)} />
        <Button variant="danger-outline" size="small" busy={isPending} onClick={() => mutate(false)}>
          Switch off
        </Button>
      </div>
      <p className="text-meta text-fg-3">Switched off, this address never works again.</p>
    </div>
  );
}
