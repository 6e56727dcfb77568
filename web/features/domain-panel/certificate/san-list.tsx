import { useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

const FIRST_NAMES = 2;
// Number of names that each click adds; a certificate can have 2,000.
const MORE_NAMES = 100;

const CHIP =
  'min-w-0 rounded-1 border border-line px-1.5 font-mono text-[11.5px]/[22px] text-fg-2 [overflow-wrap:anywhere]';

/** Lists the names of a certificate, a part of them at a time. */
export function SubjectAltNames({ names }: { names: string[] }) {
  const [shown, setShown] = useState(FIRST_NAMES);
  if (names.length === 0) return null;
  const hidden = names.length - shown;
  return (
    <div className="group mt-[7px] flex items-start gap-1">
      <ul aria-label="Names in the certificate" className="flex min-w-0 flex-1 flex-wrap items-center gap-1">
        {names.slice(0, shown).map((name, index) => (
          <li key={index} className={classNames(CHIP, 'bg-sunken')}>
            <bdi dir="ltr">{visibleText(name)}</bdi>
          </li>
        ))}
        {hidden > 0 && (
          <li className="flex">
            <button
              type="button"
              onClick={() => setShown(shown + MORE_NAMES)}
              className={classNames(
                CHIP,
                // The button is as high as the names beside it; its touch target is 44 px high.
                "relative hover:bg-sunken max-md:after:absolute max-md:after:-inset-x-1 max-md:after:-inset-y-2.5 max-md:after:content-['']",
              )}
            >
              +{hidden} more
            </button>
          </li>
        )}
      </ul>
      <CopyButton label="Copy all names" text={names.join('\n')} />
    </div>
  );
}
