import { useEffect, useRef, useState } from 'react';
import type { PreviewCheckWire } from '../../../../contract/preview-check.ts';
import { ApiError } from '../../../lib/api-error.ts';
import type { PreviewReport } from './preview-report.tsx';

export type PreviewCheck =
  | { stage: 'none' }
  /** The text is not a valid host; `message` says why. */
  | { stage: 'refused'; message: string }
  | { stage: 'running'; host: string }
  /** No response arrived, which says nothing about the host. */
  | { stage: 'failed'; host: string; message: string }
  | { stage: 'done'; host: string; result: PreviewCheckWire; at: number; Report: typeof PreviewReport };

/** Loads the code that checks a host and shows the result. Most visitors never need it. */
const loadCode = () =>
  Promise.all([
    import('../../../../contract/calls/preview-check.ts'),
    import('../../../lib/http.ts'),
    import('./preview-report.tsx'),
  ]);

export function usePreviewCheck() {
  const [host, setHost] = useState('');
  const [check, setCheck] = useState<PreviewCheck>({ stage: 'none' });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (typed: string): Promise<void> => {
    running.current?.abort();
    const host = typed.trim();
    if (host === '') {
      setCheck({ stage: 'refused', message: 'Please enter a valid host address' });
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    setCheck({ stage: 'running', host });
    let next: PreviewCheck;
    try {
      const [{ previewCheck }, { callPublic }, { PreviewReport: Report }] = await loadCode();
      const result = await callPublic(previewCheck, { body: { host }, signal: controller.signal });
      next = { stage: 'done', host, result, at: Date.now(), Report };
    } catch (error) {
      next =
        error instanceof ApiError && error.status === 422
          ? { stage: 'refused', message: error.message }
          : { stage: 'failed', host, message: failureText(error) };
    }
    // Ignore the result if another check has started or the visitor has left the page.
    if (!controller.signal.aborted) setCheck(next);
  };

  return {
    /** The text that the visitor typed. */
    host,
    type: (text: string) => {
      setHost(text);
      setCheck((former) => (former.stage === 'refused' ? { stage: 'none' } : former));
    },
    check,
    start: (typed: string) => {
      setHost(typed);
      void start(typed);
    },
    prepare: () => void loadCode().catch(() => undefined),
  };
}

/** Returns the page's own text if its code failed to load, else the server's message. */
function failureText(error: unknown): string {
  return error instanceof ApiError ? error.message : 'The server could not be reached';
}
