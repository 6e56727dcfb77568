import { useQuery } from '@tanstack/react-query';
import { Field } from '../../../ui/field.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { checkAddress } from '../status-calls.ts';
import { useSettled } from './use-settled.ts';

interface AddressFieldProps {
  slug: string;
  /** The one that is saved; null before the first. */
  saved: string | null;
  error: string | undefined;
  onChange: (slug: string) => void;
}

/** The last part of the page's address, and whether it can be had. */
export function AddressField({ slug, saved, error, onChange }: AddressFieldProps) {
  const settled = useSettled(slug.trim().toLowerCase());
  const isAsked = settled.length >= 3 && settled !== saved;
  const { data } = useQuery({
    queryKey: ['page-address', settled],
    queryFn: ({ signal }) => checkAddress(settled, signal),
    enabled: isAsked,
    staleTime: 10_000,
  });
  const isCurrent = isAsked && settled === slug.trim().toLowerCase();
  return (
    <Field
      label="Address"
      name="slug"
      mono
      value={slug}
      maxLength={40}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      error={error ?? (isCurrent && data?.available === false ? (data.reason ?? undefined) : undefined)}
      hint={
        <>
          <span className="[overflow-wrap:anywhere]">
            {window.location.host}/status/{slug.trim().toLowerCase() || '…'}
          </span>
          {saved !== null && slug.trim().toLowerCase() !== saved && (
            <span className="mt-0.5 block">The address before ends when you save.</span>
          )}
          {isCurrent && data?.available === true && (
            <span role="status" className="mt-0.5 flex items-center gap-1.5 text-ok-fg">
              <Glyph name="active" />
              Free
            </span>
          )}
        </>
      }
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
