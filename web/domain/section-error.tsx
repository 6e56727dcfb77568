import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { sentenceOf } from '../lib/api-error.ts';
import { Button } from '../ui/button.tsx';

interface Failure {
  place: Element;
  retry: () => void;
}

interface Failures {
  /** The first failure shows the error of all. */
  all: readonly Failure[];
  /** Adds a failure. Returns a function that removes it. */
  add: (failure: Failure) => () => void;
}

const FailuresContext = createContext<Failures | null>(null);

/** Joins the errors of its sections. If several sections failed, the first of them says why, with one button that retries all. */
export function JoinedErrors({ children }: { children: ReactNode }) {
  const [all, setAll] = useState<readonly Failure[]>([]);
  const add = useCallback((failure: Failure) => {
    setAll((former) => [...former, failure].toSorted(byPlace));
    return () => setAll((former) => former.filter((other) => other !== failure));
  }, []);
  return <FailuresContext value={useMemo(() => ({ all, add }), [all, add])}>{children}</FailuresContext>;
}

/** Sorts by the order of the page, with folded sections last: an error in a folded section would be invisible. */
function byPlace(one: Failure, other: Failure): number {
  const hidden = Number(!one.place.checkVisibility()) - Number(!other.place.checkVisibility());
  if (hidden !== 0) return hidden;
  return one.place.compareDocumentPosition(other.place) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/**
 * Adds the error of the section that `ref` marks to the joined errors. Only the first section shows its error; the button
 * there retries all.
 */
export function useJoinedError(onRetry: () => void) {
  const joined = use(FailuresContext);
  const add = joined?.add;
  const [place, setPlace] = useState<Element | null>(null);
  const latest = useRef(onRetry);
  useLayoutEffect(() => {
    latest.current = onRetry;
  });
  useLayoutEffect(
    () => (place && add ? add({ place, retry: () => latest.current() }) : undefined),
    [add, place],
  );
  const failures = joined?.all ?? [];
  const isAlone = failures.length < 2;
  return {
    ref: setPlace,
    isFirst: joined === null || failures[0]?.place === place,
    isAlone,
    retry: () => (isAlone ? onRetry() : failures.forEach((failure) => failure.retry())),
  };
}

/** The parts of a failed query that the error of a section shows or uses. */
export interface FailedRead {
  error: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

interface SectionErrorProps {
  /** 'Could not load …', with what could not be loaded. */
  title: string;
  read: FailedRead;
  /** Sentence that says what still works. */
  note?: string;
}

/** Replaces one section that could not be loaded; the page's other sections stay. */
export function SectionError({ title, read, note }: SectionErrorProps) {
  const { ref, isFirst, isAlone, retry } = useJoinedError(() => void read.refetch());
  const sentence = sentenceOf(read.error);
  return (
    <div ref={ref} className="text-label">
      {!isFirst ? (
        <p className="text-fg-3">Not loaded</p>
      ) : (
        <div role="alert">
          <p className="font-[520]">
            {title}
            {!isAlone && ' and other parts'}
          </p>
          <p className="mt-0.5 text-fg-2 [overflow-wrap:anywhere]">
            {/* If the connection was lost, the error already says so. */}
            {note !== undefined && !sentence.includes('Your monitoring keeps running.') && `${note} `}
            {sentence}
          </p>
          <Button variant="outline" size="small" className="mt-3" busy={read.isFetching} onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}
