import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { SummaryWire } from '../../../contract/domain.ts';
import { openerId } from '../../domain/domain-actions.tsx';
import { StateMark } from '../../domain/state-marks.tsx';
import { grouped } from '../../lib/format.ts';
import { classNames } from '../../ui/class-names.ts';
import { stateOfPanel } from './panel-history.ts';
import { type DashboardSentence, type Phrase, urgencyWords } from './sentence.ts';
import { useOpenDomain } from './use-open-domain.ts';

interface AttentionChipsProps {
  attention: SummaryWire['attention'];
  now: number;
  onShowAll: () => void;
}

const textOf = (phrases: readonly Phrase[]) => phrases.map(({ text }) => text).join('');

/**
 * Shows the headline and below it the most urgent domains (`children`) and the details. Long names are cut and the chips scroll
 * sideways, so that the height never changes and the list does not move when a domain is added or checked.
 */
export function DashboardHead({ headline, detail, children }: DashboardSentence & { children: ReactNode }) {
  const hasHost = headline.some(({ isHost }) => isHost);
  return (
    <div className="@container pt-2.5 pb-4 md:pt-8 md:pb-5">
      <div className="flex items-end max-md:min-h-[54px]">
        <h1
          tabIndex={-1}
          className={classNames(
            'min-w-0 text-[21px]/[27px] font-bold tracking-[-.02em] max-md:line-clamp-2 md:text-page md:tracking-[-.022em]',
            hasHost ? 'md:flex md:whitespace-pre' : 'md:truncate',
          )}
        >
          {headline.map(({ text, isHost }, index) =>
            isHost ? (
              <span
                key={index}
                title={text}
                // On a phone, leave room in the two lines of the headline for the words before and after the host.
                className={classNames(
                  'min-w-0 truncate max-md:inline-block max-md:align-bottom',
                  index === 0 ? 'max-md:max-w-full' : 'max-md:max-w-[52%]',
                )}
              >
                {text}
              </span>
            ) : (
              text
            ),
          )}
        </h1>
      </div>
      <div className="mt-2 flex h-[46px] items-center gap-2 md:h-8">
        {children}
        {detail.length > 0 && (
          <p
            title={detail.map(textOf).join(' ')}
            // Phones have no room for the details beside the chips; tablets and pages beside a panel only beside a single chip.
            className="line-clamp-2 min-w-0 flex-1 basis-56 text-body text-fg-2 [overflow-wrap:anywhere] @max-[968px]:[ul:has(li+li)~&]:hidden max-md:[ul~&]:hidden"
          >
            {detail.map((sentence, index) => (
              // A phone has room only for the first sentence of the details.
              <span key={index} className={index === 0 ? undefined : 'max-md:hidden'}>
                {index > 0 && ' '}
                {sentence.map(({ text, isHost }, place) =>
                  isHost ? (
                    <b key={place} className="font-[560] text-fg">
                      {text}
                    </b>
                  ) : (
                    text
                  ),
                )}
              </span>
            ))}
          </p>
        )}
      </div>
    </div>
  );
}

/** Links the most urgent hosts to their panels, in one row. If there are more, a button lists all of them. */
export function AttentionChips({ attention: { total, first }, now, onShowAll }: AttentionChipsProps) {
  const { openId } = useOpenDomain();
  // The domain whose panel was opened from a chip; the chip gets the focus back when the panel closes.
  const [openedHere, setOpenedHere] = useState<string | null>(null);
  if (first.length === 0) return null;
  return (
    <>
      <ul aria-label="Most urgent" className="sideways min-w-0 [--between:8px]">
        {first.map((domain) => {
          return (
            <li key={domain.id} className="max-w-[85%] flex-none md:max-w-80 md:only:max-w-96">
              <Link
                to="/dashboard"
                search={(former) => ({ ...former, domain: domain.id })}
                state={stateOfPanel}
                resetScroll={false}
                preload={false}
                id={domain.id === openedHere ? openerId(domain.id) : undefined}
                title={domain.display_name}
                onClick={() => setOpenedHere(domain.id)}
                onBlur={() => openId === null && setOpenedHere(null)}
                className="flex min-h-11 items-center gap-1.5 rounded-2 border border-line-2 bg-surface px-2.5 text-label text-fg no-underline hover:bg-sunken md:min-h-8 md:shadow-1"
              >
                <StateMark state={domain.reason} className="size-[13px] [--glyph-cut:var(--surface)]" />
                <span className="truncate font-mono font-[560] tracking-[-.025em]">
                  {domain.display_name}
                </span>
                <span className="num flex-none text-fg-2">· {urgencyWords(domain, now)}</span>
              </Link>
            </li>
          );
        })}
      </ul>
      {total > first.length && (
        <button
          type="button"
          onClick={onShowAll}
          className="min-h-11 flex-none rounded-2 px-2.5 text-label font-[560] text-accent-fg hover:bg-sunken md:min-h-8"
        >
          Show all {grouped(total)}
        </button>
      )}
    </>
  );
}
