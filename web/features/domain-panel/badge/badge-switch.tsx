import { useQuery, useQueryClient } from '@tanstack/react-query';
import { domainBadge, makeBadge, removeBadge } from '../../../../contract/calls/status.ts';
import { call } from '../../../lib/api-client.ts';
import { useWrite } from '../../../lib/use-write.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { Skeleton } from '../../../ui/loading.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useKeptFocus } from '../../../ui/form/use-kept-focus.ts';
import { SectionError } from '../../../domain/section-error.tsx';
import { htmlSnippet, markdownSnippet } from './badge-snippets.ts';

/** Switches the badge on and off, shows it, and offers snippets to embed it. */
export function BadgeSwitch({ id, name }: { id: string; name: string }) {
  const queryClient = useQueryClient();
  const focus = useKeptFocus<HTMLDivElement>();
  const key = ['badge', id];
  const read = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call(domainBadge, { params: { id }, signal }),
  });
  const { mutate, isPending } = useWrite({
    mutationFn: (isOn: boolean) => call(isOn ? makeBadge : removeBadge, { params: { id } }),
    onSuccess: (badge) => queryClient.setQueryData(key, badge),
    onError: (failure) => toast.failed('Could not save the change', failure),
  });
  const { data, error } = read;
  if (error) return <SectionError title="Could not load the badge" note="Checks continue." read={read} />;
  if (data === undefined) return <Skeleton className="h-9 w-40" />;
  if (data === null)
    return (
      <div {...focus}>
        <p className="mb-3 text-label text-fg-2">
          The badge is off. When you create it, it gets a secret address. Anyone with that address sees the
          state of the certificate, and nothing else.
        </p>
        <Button variant="outline" size="small" busy={isPending} onClick={() => mutate(true)}>
          Create badge
        </Button>
      </div>
    );
  return (
    <div {...focus} className="grid justify-items-start gap-3">
      <img src={new URL(data.url).pathname} alt={`Current badge of ${name}`} height={20} className="h-5" />
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
      <p className="text-meta text-fg-3">If you switch the badge off, this address stops working for good.</p>
    </div>
  );
}
