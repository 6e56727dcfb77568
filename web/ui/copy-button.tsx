import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type ButtonVariant } from './button.tsx';
import { toast } from './toast.tsx';

const CONFIRMED_MS = 2000;

/** Copies `text`. Returns true for a while after copying. Shows `confirmation` as a toast. */
function useCopy(text: string, confirmation?: string): [isCopied: boolean, copy: () => void] {
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
      if (confirmation !== undefined) toast.success(confirmation);
    } catch (error) {
      toast.failed('Could not copy', error);
    }
  };
  return [isCopied, () => void copy()];
}

/** Copies `text`. Visible while the surrounding `group` is hovered or the button has focus, and always on touch devices. */
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

interface CopyTextButtonProps {
  label: string;
  /** Text to copy; null while there is none. */
  text: string | null;
  /** Text of the toast, if the button's label does not say enough. */
  confirmation?: string;
  variant?: ButtonVariant;
}

/** Copies `text`, with a visible label. */
export function CopyTextButton({ label, text, confirmation, variant = 'outline' }: CopyTextButtonProps) {
  const [isCopied, copy] = useCopy(text ?? '', confirmation);
  const Icon = isCopied ? Check : Copy;
  return (
    <Button variant={variant} size="small" disabled={text === null} onClick={copy}>
      <Icon className="size-3.5" strokeWidth={1.6} aria-hidden="true" />
      {isCopied ? 'Copied' : label}
    </Button>
  );
}
