import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';

/** Marks what looks like a payment but charges nobody. */
export function TestModeMark({ children }: { children: ReactNode }) {
  return (
    <p className="mt-3 flex items-center gap-2 rounded-2 bg-soon-bg px-3 py-2 text-label font-medium text-soon-fg forced-colors:border">
      <FlaskConical className="size-4 flex-none" strokeWidth={1.6} aria-hidden="true" />
      {children}
    </p>
  );
}
