import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { messageOf } from '../lib/api-error.ts';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';

const CONFIRMED_MS = 2000;

/** Puts `text` on the clipboard; true for a while after it did. */
function useCopy(text: string): [isCopied: boolean, copy: () => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch (error) {
      toast.error(`Could not copy: ${messageOf(error)}`);
    }
  };
  return [isCopied, () => void copy()];
}

/** Shows itself while its `group` is hovered or it has the focus, and always where nothing hovers. */
export function CopyButton({ label, text }: { label: string; text: string }) {
  const [isCopied, copy] = useCopy(text);
  const Icon = isCopied ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : label}
      onClick={copy}
      className="-my-[3px] grid size-6 flex-none place-items-center rounded-1 text-fg-3 opacity-0 group-hover:opacity-100 hover:bg-sunken hover:text-fg focus-visible:opacity-100 max-md:-my-[13px] max-md:size-11 [@media(hover:none)]:opacity-100"
    >
      <Icon className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
    </button>
  );
}

/** The same with its words, for what is there to be copied. */
export function CopyTextButton({ label, text }: { label: string; text: string }) {
  const [isCopied, copy] = useCopy(text);
  const Icon = isCopied ? Check : Copy;
  return (
    <Button variant="outline" size="small" onClick={copy}>
      <Icon className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
      {isCopied ? 'Copied' : label}
    </Button>
  );
}
