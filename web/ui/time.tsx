import { longDate, longDateTime, utcTitle } from '../lib/format.ts';

/** Shows an instant in long form and local time, with UTC as its tooltip. */
export function Time({
  iso,
  withTime = false,
  className,
}: {
  iso: string;
  withTime?: boolean;
  className?: string;
}) {
  return (
    <time dateTime={iso} title={utcTitle(iso)} className={className}>
      {withTime ? longDateTime(iso) : longDate(iso)}
    </time>
  );
}
