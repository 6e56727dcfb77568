import type { ReactNode } from 'react';
import type { DashboardSentence } from './sentence.ts';

/** The sentence that the page begins with, and at its right what can be done. */
export function DashboardHead({ headline, detail, children }: DashboardSentence & { children?: ReactNode }) {
  return (
    <div className="flex items-end gap-6 pt-5 pb-4 md:pt-8 md:pb-5">
      <div className="min-w-0 flex-1">
        <h1
          tabIndex={-1}
          className="text-[21px]/[27px] font-bold tracking-[-.02em] [overflow-wrap:anywhere] md:text-page md:tracking-[-.022em]"
        >
          {headline}
        </h1>
        {detail.length > 0 && (
          <p className="mt-1.5 text-body text-fg-2 [overflow-wrap:anywhere] md:mt-1">
            {detail.map(({ text, isHost }, index) =>
              isHost ? (
                <b key={index} className="font-[560] text-fg">
                  {text}
                </b>
              ) : (
                text
              ),
            )}
          </p>
        )}
      </div>
      {children}
    </div>
  );
}
