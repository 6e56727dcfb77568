import { ArrowUpRight } from 'lucide-react';
import type { StatusPageWire } from '../../../../contract/status-page.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyTextButton } from '../../../ui/copy-button.tsx';
import { useKeptFocus } from '../../../ui/form/use-kept-focus.ts';

interface PublishedRowProps {
  page: StatusPageWire;
  /** True if there are unsaved changes. */
  isChanged: boolean;
  isPending: boolean;
  onSwitchOn: () => void;
  onSwitchOff: () => void;
}

/** Shows whether and where the page is public. Its switch takes effect at once. */
export function PublishedRow({ page, isChanged, isPending, onSwitchOn, onSwitchOff }: PublishedRowProps) {
  const focus = useKeptFocus<HTMLDivElement>();
  if (!page.enabled || page.url === null)
    return (
      <div {...focus} className="grid justify-items-start gap-3">
        <Badge tone="plain">Off</Badge>
        <p className="text-fg-2">Nobody can see the page.</p>
        <Button busy={isPending} onClick={onSwitchOn} className="max-md:w-full">
          {isChanged ? 'Save and switch on' : 'Switch on'}
        </Button>
      </div>
    );
  return (
    <div {...focus} className="grid justify-items-start gap-3">
      <Badge tone="ok" glyph="active">
        On
      </Badge>
      <a
        href={page.url}
        target="_blank"
        rel="noreferrer"
        className="link inline-flex max-w-full items-center gap-1 font-mono text-label [overflow-wrap:anywhere] max-md:min-h-11"
      >
        {page.url}
        <ArrowUpRight className="size-3.5 flex-none" strokeWidth={1.6} aria-label="in a new tab" />
      </a>
      <div className="flex flex-wrap gap-2">
        <CopyTextButton label="Copy link" text={page.url} />
        <Button variant="danger-outline" size="small" busy={isPending} onClick={onSwitchOff}>
          Switch off
        </Button>
      </div>
    </div>
  );
}
