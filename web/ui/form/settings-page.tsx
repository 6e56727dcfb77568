import type { ReactNode } from 'react';

/** Media query for windows in which a settings page has room for a preview beside its rows. The width equals that of `xl:`. */
export const HAS_ROOM_FOR_PREVIEW = '(min-width: 68.75rem)';

interface SettingsPageProps {
  title: string;
  /** A sentence below the title. */
  lead?: string;
  /** Preview that stays in view beside the rows. Hidden if the window has no room. */
  preview?: ReactNode;
  /** Says what the preview shows. */
  previewNote?: string;
  children: ReactNode;
}

/** Frames a page of settings. */
export function SettingsPage({ title, lead, preview, previewNote, children }: SettingsPageProps) {
  return (
    <div className="wrap pt-6 pb-14 md:pt-9">
      <h1 tabIndex={-1} className="text-[21px]/[27px] font-bold tracking-[-.022em] md:text-page">
        {title}
      </h1>
      {lead !== undefined && <p className="mt-1 text-body text-fg-2">{lead}</p>}
      <div className="xl:grid xl:grid-cols-[minmax(0,720px)_minmax(0,1fr)] xl:gap-12">
        <div className="max-xl:max-w-[720px]">{children}</div>
        {preview !== undefined && (
          <section aria-labelledby="preview-title" className="max-xl:hidden">
            {/* As high as the room between the page's header and its bottom padding: a higher one would slide under the header. */}
            <div className="sticky top-[60px] flex max-h-[calc(100dvh-7.25rem)] flex-col py-7">
              <h2 id="preview-title" className="text-lead/5 font-semibold">
                Preview
              </h2>
              <p className="mt-1 mb-4 text-[13.5px]/5 text-fg-2">{previewNote}</p>
              {preview}
            </div>
          </section>
        )}
      </div>
    </div>
  );
}
