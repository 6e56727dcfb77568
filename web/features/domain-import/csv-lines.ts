import Papa from 'papaparse';
import { TARGET_FIELDS, TARGET_LABELS, type TargetField } from '../../../contract/check-words.ts';
import {
  addressFrom,
  hostLine,
  looksLikeHost,
  type ParsedLine,
  skippedLine,
  splitTags,
  targetOf,
} from './parsed-import.ts';

interface Row {
  /** The first line of the row, from 1. */
  line: number;
  cells: string[];
}

/** Columns of the dashboard's own export. */
const OWN_NAMES = ['host', 'port', 'days_left', 'check_every_minutes', 'paused', 'tags', 'notes'];
/** The apostrophe that our export puts before formulas, at the start of a cell or of a line in a cell. */
const GUARD =
  /(?<=^|[;\t\r\n])'(?=(?:(?![;\t\r\n])[\s\p{Cc}\p{Cf}"])*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\uFE66\uFE62\uFE63\uFE6B\u2212])/gu;

interface Columns {
  host: number;
  port: number;
  protocol: number;
  tags: number;
  notes: number[];
  target: Partial<Record<string, number>>;
}

const HOST_NAMES = [
  'host',
  'hostname',
  'host name',
  'host_name',
  'host address',
  'domain',
  'domain name',
  'url',
  'address',
  'website',
  'fqdn',
  'endpoint',
];
const TAG_NAMES = ['tags', 'tag', 'labels', 'groups', 'group'];
const NOTE_NAMES = ['notes', 'note', 'name', 'description', 'comment'];

/** The lines of a table, and the number of title lines above its header. */
export interface Table {
  lines: ParsedLine[];
  titleLines: number;
}

/** Maximum number of title rows above the header. */
const MAX_TITLES = 20;
/** Excel can begin a CSV file with the line `sep=;`, which names the delimiter. */
const DELIMITER_LINE = /^"?sep=([^\r\n"])"?(?:\r\n|\n|\r|$)/i;

/** Returns the first `most` rows of a table. Returns null if the text is not a table: if it has a single column, or only hosts. */
export function csvLines(text: string, most: number): Table | null {
  const [named = '', delimiter] = DELIMITER_LINE.exec(text) ?? [];
  const body = { text: text.slice(named.length), firstLine: named === '' ? 1 : 2 };
  // `undefined` stands for a guess. It fails if there are titles above the header, so each delimiter is tried too.
  const found = (delimiter === undefined ? [undefined, ';', ',', '\t'] : [delimiter])
    .map((each) => ({ delimiter: each, header: headerOf(rowsOf(body, MAX_TITLES + 1, each)) }))
    .reduce((best, each) =>
      (each.header?.cells.length ?? 0) > (best.header?.cells.length ?? 0) ? each : best,
    );
  const { header } = found;
  // Also reads the rows of the titles and of the header.
  const rows = rowsOf(body, most + 1 + (header?.titles ?? 0), found.delimiter);
  if (header) {
    const isOwn = OWN_NAMES.every((name) => header.cells.includes(name));
    const data = rows.slice(header.titles + 1);
    return {
      lines: data.map((row) => lineOf(isOwn ? unguarded(row) : row, header.columns)),
      titleLines: header.titles,
    };
  }
  const isTable =
    rows.every(({ cells }) => cells.length > 1) &&
    rows.some(({ cells }) => !cells.every((cell) => cell === '' || looksLikeHost(cell)));
  const host = isTable ? hostColumn(rows) : -1;
  if (host < 0) return null;
  const lines = rows.map((row) => {
    const port = isPort(row.cells[host + 1]) ? host + 1 : -1;
    const rest = row.cells.map((_, index) => index).filter((index) => index !== host && index !== port);
    return lineOf(row, { host, port, protocol: -1, tags: -1, notes: rest, target: {} });
  });
  return { lines, titleLines: 0 };
}

interface Header {
  cells: string[];
  columns: Columns;
  /** Number of title rows above the header. */
  titles: number;
}

/** Returns the row with the names of the columns. Null if there is no such row, or if a row above it may be a host and not a title. */
function headerOf(rows: readonly Row[]): Header | null {
  const filled = ({ cells }: Row) => cells.filter((cell) => cell !== '');
  for (const [titles, row] of rows.entries()) {
    const columns = columnsOf(row.cells);
    if (columns) return { cells: row.cells, columns, titles };
    const next = rows[titles + 1];
    // A title has fewer cells than the header. If the header has one cell, a title must not look like a host.
    if (!next || filled(row).some((cell) => looksLikeHost(cell) && filled(row).length >= filled(next).length))
      return null;
  }
  return null;
}

/** Returns the rows without blank rows and comments. Guesses the delimiter if none is given. */
function rowsOf(
  { text, firstLine }: { text: string; firstLine: number },
  most: number,
  delimiter: string | undefined,
): Row[] {
  const rows: Row[] = [];
  let line = firstLine;
  let from = 0;
  Papa.parse<string[]>(text, {
    ...(delimiter === undefined ? { delimitersToGuess: [',', ';', '\t'] } : { delimiter }),
    step({ data, meta }, parser) {
      const cells = data.map((cell) => cell.trim());
      const isBlank = cells.every((cell) => cell === '');
      if (!isBlank && !(cells[0] ?? '').startsWith('#')) rows.push({ line, cells });
      line += text.slice(from, meta.cursor).split(/\r\n|\n|\r/).length - 1;
      from = meta.cursor;
      if (rows.length >= most) parser.abort();
    },
  });
  return rows;
}

/** Returns the column of a field of the target. Its header may be the field's name, its command-line option or its label in the dialog. */
function targetColumn(names: readonly string[], field: TargetField): number {
  const written = (name: string) => name.toLowerCase().replaceAll(/[\s-]+/g, '_');
  return names.findIndex((name) => [field, written(TARGET_LABELS[field])].includes(written(name)));
}

function columnsOf(cells: readonly string[]): Columns | null {
  const names = cells.map((cell) => cell.toLowerCase());
  const place = (wanted: readonly string[]) => names.findIndex((name) => wanted.includes(name));
  const host = Math.min(...HOST_NAMES.map((name) => names.indexOf(name)).filter((index) => index >= 0));
  if (!Number.isFinite(host)) return null;
  const notes = names.flatMap((name, index) => (index !== host && NOTE_NAMES.includes(name) ? [index] : []));
  return {
    host,
    port: place(['port']),
    protocol: place(['protocol']),
    tags: place(TAG_NAMES),
    notes,
    target: Object.fromEntries(TARGET_FIELDS.map((field) => [field, targetColumn(names, field)])),
  };
}

function unguarded({ line, cells }: Row): Row {
  return { line, cells: cells.map((cell) => cell.replaceAll(GUARD, '')) };
}

/** Returns the first column whose cells are mostly hosts. */
function hostColumn(rows: readonly Row[]): number {
  const width = Math.max(...rows.slice(0, 1000).map(({ cells }) => cells.length));
  for (let column = 0; column < width; column += 1) {
    const hosts = rows.filter(({ cells }) => looksLikeHost(cells[column] ?? '')).length;
    if (hosts * 2 > rows.length) return column;
  }
  return -1;
}

function lineOf({ line, cells }: Row, columns: Columns): ParsedLine {
  const host = cells[columns.host] ?? '';
  if (host === '')
    return skippedLine(line, cells.filter((cell) => cell !== '').join(', '), 'No host in this row');
  const port = cells[columns.port] ?? '';
  const notes = columns.notes
    .map((index) => cells[index] ?? '')
    .filter((note) => note !== '' && note !== host);
  const address = addressFrom(host, { port, protocol: cells[columns.protocol] ?? '' });
  return hostLine(line, address, {
    tags: splitTags(cells[columns.tags] ?? ''),
    notes: notes.join('\n'),
    target: targetOf((field) => cells[columns.target[field] ?? -1]),
  });
}

const isPort = (cell = ''): boolean => /^\d{1,5}$/.test(cell) && Number(cell) > 0 && Number(cell) < 65_536;
