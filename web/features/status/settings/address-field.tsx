import { useQuery } from '@tanstack/react-query';
import { pageAddress } from '../../../../contract/calls/status.ts';
import { call } from '../../../lib/api-client.ts';
import { Field } from '../../../ui/form/field.tsx';
import { LITERAL } from '../../../ui/form/search-field.tsx';
import { Glyph } from '../../../ui/glyph.tsx';
import { useDebounced } from '../../../lib/use-debounced.ts';

interface AddressFieldProps {
  slug: string;
  /** The saved address; null before the first save. */
  saved: string | null;
  error: string | undefined;
  onChange: (slug: string) => void;
}

/** Edits the last part of the page's URL, and shows whether it is available. */
export function AddressField({ slug, saved, error, onChange }: AddressFieldProps) {
  const debounced = useDebounced(slug.trim().toLowerCase());
  const isAsked = debounced.length >= 3 && debounced !== saved;
  const { data } = useQuery({
    queryKey: ['page-address', debounced],
    queryFn: ({ signal }) => call(pageAddress, { query: { slug: debounced }, signal }),
    enabled: isAsked,
    staleTime: 10_000,
  });
  const isCurrent = isAsked && debounced === slug.trim().toLowerCase();
  return (
    <Field
      label="Address"
      name="slug"
      mono
      value={slug}
      maxLength={40}
      {...LITERAL}
      error={error ?? (isCurrent && data?.available === false ? (data.reason ?? undefined) : undefined)}
      hint={
        <>
          <span className="[overflow-wrap:anywhere]">
            {window.location.host}/status/{slug.trim().toLowerCase() || '…'}
          </span>
          {saved !== null && slug.trim().toLowerCase() !== saved && (
            <span className="mt-0.5 block">The old address stops working when you save.</span>
          )}
          {isCurrent && data?.available === true && (
            <span role="status" className="mt-0.5 flex items-center gap-1.5 text-ok-fg">
              <Glyph name="active" />
              Available
            </span>
          )}
        </>
      }
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
