/** A parsed regular expression without captures, names and laziness, which do not change how much a match costs. */
export type RegexNode =
  | { kind: 'set'; source: string }
  | { kind: 'sequence'; parts: RegexNode[] }
  | { kind: 'choice'; options: RegexNode[] }
  | { kind: 'repeat'; body: RegexNode; min: number; max: number }
  | { kind: 'boundary'; at: 'start' | 'end' | 'word' | 'no-word' }
  | { kind: 'look'; behind: boolean; negative: boolean; body: RegexNode };

const GROUP = /\(\?(?:(?<capture><[A-Za-z_$][\w$]*>)|(?<plain>:)|(?<look><?[=!]))/y;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
const ESCAPE =
  /\\(?:[pP]\{[^}]*\}|u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\d*|[^])/y;

/**
 * Parses the source of a JavaScript regular expression. A back-reference becomes a copy of its group. @throws Error for
 * unsupported syntax, such as modifiers.
 */
export function parseRegex(source: string, flags: string): RegexNode {
  const isUnicode = /[uv]/.test(flags);
  const groups: RegexNode[] = [];
  const names = new Map<string, number>();
  let at = 0;

  function take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  }
  const unknown = () => new Error(`Cannot read /${source}/ at ${at}`);

  function choice(): RegexNode {
    const options = [sequence()];
    while (source[at] === '|') {
      at += 1;
      options.push(sequence());
    }
    return options.length === 1 ? options[0]! : { kind: 'choice', options };
  }

  function sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(atom()));
    return { kind: 'sequence', parts };
  }

  function repeated(body: RegexNode): RegexNode {
    const found = take(QUANTIFIER);
    if (!found) return body;
    const [text, least, comma, most] = found;
    if (text.startsWith('*')) return { kind: 'repeat', body, min: 0, max: Infinity };
    if (text.startsWith('+')) return { kind: 'repeat', body, min: 1, max: Infinity };
    if (text.startsWith('?')) return { kind: 'repeat', body, min: 0, max: 1 };
    const min = Number(least);
    const max = comma === undefined ? min : most === '' ? Infinity : Number(most);
    return { kind: 'repeat', body, min, max };
  }

  function atom(): RegexNode {
    const character = source[at];
    if (character === '^' || character === '$') {
      at += 1;
      return { kind: 'boundary', at: character === '^' ? 'start' : 'end' };
    }
    if (character === '(') return group();
    if (character === '[') return { kind: 'set', source: characterClass() };
    if (character === '\\') return escape();
    const [one = ''] = isUnicode ? String.fromCodePoint(source.codePointAt(at) ?? 0) : [character];
    at += one.length;
    return { kind: 'set', source: one };
  }

  function group(): RegexNode {
    const found = take(GROUP);
    const { capture, look } = found?.groups ?? {};
    if (found === null) {
      if (source[at + 1] === '?') throw unknown();
      at += 1;
    }
    const isCapture = found === null || capture !== undefined;
    const index = isCapture ? groups.push({ kind: 'sequence', parts: [] }) - 1 : -1;
    if (capture !== undefined) names.set(capture.slice(1, -1), index);
    const body = choice();
    if (source[at] !== ')') throw unknown();
    at += 1;
    if (isCapture) groups[index] = body;
    if (look === undefined) return body;
    return { kind: 'look', behind: look.startsWith('<'), negative: look.endsWith('!'), body };
  }

  function escape(): RegexNode {
    const [text = ''] = take(ESCAPE) ?? [];
    if (text === '\\b' || text === '\\B')
      return { kind: 'boundary', at: text === '\\b' ? 'word' : 'no-word' };
    const name = /^\\k<(.*)>$/.exec(text)?.[1];
    const number = /^\\([1-9]\d*)$/.exec(text)?.[1];
    if (name === undefined && number === undefined) return { kind: 'set', source: text };
    const body = groups[name === undefined ? Number(number) - 1 : (names.get(name) ?? -1)];
    if (body === undefined) throw unknown();
    return body;
  }

  /** Returns the source of a class, including nested ones of the flag v. */
  function characterClass(): string {
    const start = at;
    let depth = 0;
    do {
      if (source[at] === '\\') at += 1;
      else if (source[at] === '[' && (depth === 0 || flags.includes('v'))) depth += 1;
      else if (source[at] === ']') depth -= 1;
      at += 1;
      if (at > source.length) throw unknown();
    } while (depth > 0);
    return source.slice(start, at);
  }

  const whole = choice();
  if (at !== source.length) throw unknown();
  return whole;
}
