import { type ReactNode, useEffect } from 'react';
import { measureFor } from '../lib/browser/analytics.ts';
import { useFontSync } from '../lib/browser/font.ts';
import { useThemeSync } from '../lib/browser/theme.ts';
import { usePublicConfig } from '../lib/public-config.ts';
import { NoticeBar } from '../ui/notice-bar.tsx';

export const INSECURE_TEXT =
  'This server uses plain HTTP: others on the network can read passwords and sessions. Use it only on a network that you trust.';

interface PageFrameProps {
  /** True if the page has a notice bar of its own, which also warns of plain HTTP. */
  hasNotices?: boolean;
  children: ReactNode;
}

/** Applies the visitor's theme and font to a page, and warns of plain HTTP above it. Mounted once per document. */
export function PageFrame({ hasNotices = false, children }: PageFrameProps) {
  useThemeSync();
  useFontSync();
  const { analytics_id: analyticsId, insecure_http: isInsecure } = usePublicConfig();
  useEffect(() => measureFor(analyticsId), [analyticsId]);
  return (
    <>
      {isInsecure && !hasNotices && <NoticeBar isCalm>{INSECURE_TEXT}</NoticeBar>}
      {children}
    </>
  );
}
