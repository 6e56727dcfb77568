import { useEffect, useRef, useState } from 'react';
import type { PreviewCheckWire } from '../../../../contract/preview-check.ts';
import { ApiError } from '../../../lib/api-error.ts';
import type { GlanceReport } from './glance-report.tsx';

export type Look =
  | { stage: 'none' }
  /** What was typed cannot be looked at; `message` says why. */
  | { stage: 'refused'; message: string }
  | { stage: 'running'; host: string }
  /** Nothing came back, which says nothing about the host. */
  | { stage: 'failed'; host: string; message: string }
  | { stage: 'done'; host: string; glance: PreviewCheckWire; at: number; Report: typeof GlanceReport };

/** The code that asks and the code that shows, which nobody needs who only reads the page. */
const loadCode = () => Promise.all([import('./glance-call.ts'), import('./glance-report.tsx')]);

export function useGlance() {
  const [look, setLook] = useState<Look>({ stage: 'none' });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (typed: string): Promise<void> => {
    running.current?.abort();
    const host = typed.trim();
    if (host === '') {
      setLook({ stage: 'refused', message: 'Please enter a valid host address' });
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    setLook({ stage: 'running', host });
    let next: Look;
    try {
      const [{ glanceAt }, { GlanceReport: Report }] = await loadCode();
      const glance = await glanceAt(host, controller.signal);
      next = { stage: 'done', host, glance, at: Date.now(), Report };
    } catch (error) {
      next =
        error instanceof ApiError && error.status === 422
          ? { stage: 'refused', message: error.message }
          : { stage: 'failed', host, message: failureText(error) };
    }
    // Another look has begun, or the page was left.
    if (!controller.signal.aborted) setLook(next);
  };

  return {
    look,
    start: (host: string) => void start(host),
    /** Something else is typed than what was refused. */
    forgetRefusal: () => setLook((former) => (former.stage === 'refused' ? { stage: 'none' } : former)),
    prepare: () => void loadCode().catch(() => undefined),
  };
}

/** The page's own words where its code could not be loaded, else the sentence of who refused. */
function failureText(error: unknown): string {
  return error instanceof ApiError ? error.message : 'The server could not be reached';
}
