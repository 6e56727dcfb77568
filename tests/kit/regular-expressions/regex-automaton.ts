import { parseRegex, type RegexNode } from './regex-syntax.ts';

/** A repetition with a larger upper bound is analysed as if it had none. */
const LARGEST_BOUND = 64;

/** The character before or after a position: the index of its class, or the end of the text. */
export type Side = number | 'edge';
type Guard = (before: Side, after: Side) => boolean;

interface Edge {
  to: number;
  guard: Guard | null;
}

/**
 * A Thompson automaton. A position is an edge that reads one character. At position 0, a search skips characters before the
 * match.
 */
export interface Automaton {
  epsilon: Edge[][];
  /** For each state, the positions that start there. */
  readers: number[][];
  positions: { set: boolean[]; to: number }[];
  accept: number;
  classes: number;
}

/** Characters that expressions may treat differently: all of Latin-1, and some of each other kind. */
const SAMPLES = [
  ...Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)),
  ...Array.from(
    'ıſΩАא٣क中ﬁ＝０．。－－\u0301\u200B\u202E\u2028\u2029\u2060\u3000\uE000\uFEFF\uFFFD\u212A\u1E9E',
  ),
];
const ASTRAL = ['😀', '𝒜', '\u{E0001}'];

/** Compiles an expression as a search would run it. `examples`: a character of each class. */
export function compileRegex({ source, flags }: RegExp): { automaton: Automaton; examples: string[] } {
  const root = parseRegex(source, flags);
  const samples = /[uv]/.test(flags) ? [...SAMPLES, ...ASTRAL] : SAMPLES;
  const tests = new Map<string, (sample: string) => boolean>();
  const setFlags = flags.replaceAll(/[^iuvs]/g, '');
  const collect = (node: RegexNode): void => {
    if (node.kind === 'set') {
      const one = new RegExp(`^(?:${node.source})$`, setFlags);
      tests.set(node.source, (sample) => one.test(sample));
    } else if ('body' in node) collect(node.body);
    else if (node.kind === 'sequence') node.parts.forEach(collect);
    else if (node.kind === 'choice') node.options.forEach(collect);
  };
  collect(root);
  const isWord = (sample: string) => /^\w$/.test(sample);
  const isNewline = (sample: string) => /^[\n\r\u2028\u2029]$/.test(sample);
  const byClass = Map.groupBy(samples, (sample) =>
    [...tests.values(), isWord, isNewline].map((test) => Number(test(sample))).join(''),
  );
  // Prefer a readable example.
  const examples = [...byClass.values()].map((all) => all.find((one) => /^[!-~]$/.test(one)) ?? all[0]!);
  const inClass = (test: (sample: string) => boolean) => examples.map(test);

  const automaton: Automaton = {
    epsilon: [],
    readers: [],
    positions: [],
    accept: 0,
    classes: examples.length,
  };
  const { epsilon, readers, positions } = automaton;
  const newState = () => {
    readers.push([]);
    return epsilon.push([]) - 1;
  };
  const link = (from: number, to: number, guard: Guard | null = null) =>
    void epsilon[from]!.push({ to, guard });
  const read = (from: number, to: number, set: boolean[]) =>
    void readers[from]!.push(positions.push({ set, to }) - 1);

  const words = inClass(isWord);
  const newlines = inClass(isNewline);
  const isMultiline = flags.includes('m');
  const boundaries: Record<Extract<RegexNode, { kind: 'boundary' }>['at'], Guard> = {
    start: (before) => before === 'edge' || (isMultiline && newlines[before] === true),
    end: (_, after) => after === 'edge' || (isMultiline && newlines[after] === true),
    word: (before, after) => (before !== 'edge' && words[before]) !== (after !== 'edge' && words[after]),
    'no-word': (before, after) => !boundaries.word(before, after),
  };

  /** Returns the condition of a lookaround of at most one character; null if it reads more. */
  function guardOf(node: RegexNode, behind: boolean): Guard | null {
    if (node.kind === 'boundary') return boundaries[node.at];
    if (node.kind === 'set') {
      const set = inClass(tests.get(node.source)!);
      return (before, after) => set[Number(behind ? before : after)] ?? false;
    }
    if (node.kind === 'sequence' && node.parts.length === 1) return guardOf(node.parts[0]!, behind);
    if (node.kind !== 'choice') return null;
    const guards = node.options.map((option) => guardOf(option, behind));
    return guards.includes(null) ? null : (...sides) => guards.some((guard) => guard!(...sides));
  }

  function look({ behind, negative, body }: Extract<RegexNode, { kind: 'look' }>, from: number): number {
    const guard = guardOf(body, behind);
    const end = newState();
    link(from, end, guard && ((...sides) => guard(...sides) !== negative));
    if (guard !== null) return end;
    if (behind && isUnbounded(body)) throw new Error(`A lookbehind without an upper bound: /${source}/`);
    // A longer lookaround costs its work whatever its result, and nothing follows it.
    if (!behind) build(body, from);
    return end;
  }

  function repeat({ body, min, max }: Extract<RegexNode, { kind: 'repeat' }>, from: number): number {
    // Two repetitions show the same ambiguity as many, as long as their number can vary.
    const least = Math.min(min, 2);
    const most = max > LARGEST_BOUND ? Infinity : max === min ? least : Math.max(least + 1, Math.min(max, 4));
    let at = from;
    for (let round = 0; round < least - 1; round++) at = build(body, at);
    if (most === Infinity) {
      const [start, end] = [newState(), newState()];
      link(at, start);
      const last = build(body, start);
      link(last, start);
      link(last, end);
      if (least === 0) link(at, end);
      return end;
    }
    if (least > 0) at = build(body, at);
    const end = newState();
    for (let round = least; round < most; round++) {
      link(at, end);
      at = build(body, at);
    }
    link(at, end);
    return end;
  }

  function build(node: RegexNode, from: number): number {
    if (node.kind === 'sequence') return node.parts.reduce((at, part) => build(part, at), from);
    if (node.kind === 'repeat') return repeat(node, from);
    if (node.kind === 'look') return look(node, from);
    const end = newState();
    if (node.kind === 'set') read(from, end, inClass(tests.get(node.source)!));
    else if (node.kind === 'boundary') link(from, end, boundaries[node.at]);
    else
      for (const option of node.options) {
        const start = newState();
        link(from, start);
        link(build(option, start), end);
      }
    return end;
  }

  const start = newState();
  read(
    flags.includes('y') ? newState() : start,
    start,
    examples.map(() => true),
  );
  automaton.accept = build(root, start);
  return { automaton, examples };
}

function isUnbounded(node: RegexNode): boolean {
  if (node.kind === 'repeat') return node.max > LARGEST_BOUND || isUnbounded(node.body);
  if (node.kind === 'look') return isUnbounded(node.body);
  if (node.kind === 'sequence') return node.parts.some(isUnbounded);
  return node.kind === 'choice' && node.options.some(isUnbounded);
}

/** Returns the numbers of all classes. */
export const classesOf = ({ classes }: Automaton) => Array.from({ length: classes }, (_, index) => index);
