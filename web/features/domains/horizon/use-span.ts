import { useCallback } from 'react';
import { HORIZON_SPANS } from '../../../lib/dashboard-search.ts';
import type { HorizonSpan } from '../../../lib/dashboard-search.ts';
import { createPreference } from '../../../lib/preference.ts';
import { useDashboardSearch } from '../use-dashboard-search.ts';

const preference = createPreference('span', ['30', '90', '365'], '90');

/** How far the horizon looks: as the address says, else as it was chosen last, else 90 days. */
export function useSpan(): { span: HorizonSpan; choose: (span: HorizonSpan) => void } {
  const { search, change } = useDashboardSearch();
  const preferred = Number(preference.use());
  const span = search.span ?? HORIZON_SPANS.find((days) => days === preferred) ?? 90;
  const choose = useCallback(
    (days: HorizonSpan) => {
      preference.set(`${days}`);
      change({ span: days }, { replace: true });
    },
    [change],
  );
  return { span, choose };
}
