import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import type { z } from 'zod';
import type { Call } from '../../contract/calls/call.ts';
import { refreshSession } from '../../contract/calls/session.ts';
import { counted, longDate } from '../lib/format.ts';

/** A call that returns a page of a list, and the cursor of the next page. */
type ListCall<Row> = Call & { response: z.ZodType<{ data: Row[]; next_cursor?: string | null | undefined }> };

export interface PrintedColumn<Row> {
  label: string;
  cell: (row: Row, now: number) => ReactNode;
}

interface PrintedListProps<Row> {
  call: ListCall<Row>;
  /** Filter and order of the list. */
  query: Readonly<Record<string, string | undefined>>;
  /** What a row stands for, as the page's text names it: 'domain'. */
  what: string;
  columns: readonly PrintedColumn<Row>[];
  /** Printed above the table. */
  children?: ReactNode;
}

const PAGE_SIZE = 200;

/** Prints a table of all listed rows instead of the page. The page cannot be printed itself, because it mounts only the rows in view. */
export function PrintedList<Row>({ call, query, what, columns, children }: PrintedListProps<Row>) {
  const [printed, setPrinted] = useState<{ rows: readonly Row[]; now: number } | null>(null);
  const begin = useEffectEvent(() => {
    const rows = readAll(call, query);
    // If the rows cannot be read, print the page itself.
    if (rows) flushSync(() => setPrinted({ rows, now: Date.now() }));
  });
  useEffect(() => {
    const end = () => setPrinted(null);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  if (!printed) return null;
  const { rows, now } = printed;
  return createPortal(
    <div data-printed="" className="hidden text-small text-fg print:block">
      <h1 className="text-title">{document.title}</h1>
      {children}
      <p className="mt-1 mb-3">
        {counted(rows.length, what)} on {longDate(now)}
      </p>
      <table className="w-full border-collapse text-left [&_td]:border-t [&_td]:border-line-2 [&_td]:py-1 [&_td]:pr-3 [&_td]:align-top [&_th]:pr-3 [&_th]:pb-1 [&_th:first-child]:w-[22%] [&_th:last-child]:w-[26%] [&_tr>:nth-child(2)]:whitespace-nowrap [&_tr>:nth-child(3)]:whitespace-nowrap">
        <thead>
          <tr>
            {columns.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index} className="break-inside-avoid">
              {columns.map(({ label, cell }) => (
                <td key={label} className="[overflow-wrap:anywhere]">
                  {cell(row, now)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>,
    document.body,
  );
}

/** Reads all rows with synchronous requests: the browser prints without waiting for promises. Returns null if a page cannot be read. */
function readAll<Row>(call: ListCall<Row>, query: PrintedListProps<Row>['query']): Row[] | null {
  const rows: Row[] = [];
  const search = new URLSearchParams({ limit: String(PAGE_SIZE) });
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, value);
  for (;;) {
    try {
      const { data, next_cursor: cursor } = call.response.parse(readNow(`${call.path}?${search}`));
      rows.push(...data);
      if (!cursor) return rows;
      search.set('cursor', cursor);
    } catch (error) {
      console.warn('The whole list could not be read for printing.', error);
      return null;
    }
  }
}

/** Reads JSON from the API synchronously. If the access cookie has expired, refreshes the session and reads again. */
function readNow(address: string): unknown {
  let request = sendNow('get', address);
  if (request.status === 401) {
    sendNow(refreshSession.method, refreshSession.path);
    request = sendNow('get', address);
  }
  return JSON.parse(request.responseText);
}

function sendNow(method: string, address: string): XMLHttpRequest {
  const request = new XMLHttpRequest();
  request.open(method, `/api${address}`, false);
  if (method !== 'get') request.setRequestHeader('content-type', 'application/json');
  request.send();
  return request;
}
