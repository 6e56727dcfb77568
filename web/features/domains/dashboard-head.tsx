import type { DashboardSentence } from './sentence.ts';

/** The sentence that the page begins with. */
export function DashboardHead({ headline, detail }: DashboardSentence) {
  return (
    <div className="pt-5 pb-4 md:pt-8 md:pb-5">
      <h1
        tabIndex={-1}
        className="text-[21px]/[27px] font-bold tracking-[-.02em] [overflow-wrap:anywhere] md:text-page md:tracking-[-.022em]"
      >
        {headline}
      </h1>
      {detail.length > 0 && (
        <p className="mt-1.5 text-body text-fg-2 [overflow-wrap:anywhere] md:mt-1">
          {detail.map((sentence, index) => (
            // A phone has room for the first, which is the worst; the list below tells the rest.
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
  );
}
