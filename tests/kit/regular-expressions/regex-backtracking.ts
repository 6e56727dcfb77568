import { type Automaton, classesOf, compileRegex, type Side } from './regex-automaton.ts';

/**
 * Finds out whether a search with this expression can take more than linear time in the length of the text. That needs two loops
 * over the same characters, the second reachable from the first (Weber & Seidl 1991, condition IDA; skipping to a later start of
 * the match counts as a loop, too), and a text after which the match fails. Returns null, or an example of the characters to
 * repeat.
 */
export function backtracksOn(pattern: RegExp): string | null {
  const { automaton, examples } = compileRegex(pattern);
  const { positions } = automaton;
  const step = createStepper(automaton);
  const reaches = reachability(automaton);
  const isLoop = (at: number) => reaches[at]!.has(at);
  const isSameLoop = (one: number, other: number) => reaches[one]!.has(other) && reaches[other]!.has(one);
  const loops = positions.keys().filter(isLoop).toArray();
  if (loops.length < 2 && loops[0] === 0) return null;

  for (const [first, before] of step.reachable()) {
    if (!isLoop(first)) continue;
    for (const after of classesOf(automaton))
      for (const [next, paths] of step.follow(first, before, after))
        if (paths > 1 && isSameLoop(first, next) && step.canFail(next, after)) return examples[after]!;
    for (const second of loops) {
      if (second === first || !reaches[first]!.has(second) || !positions[second]!.set[before]) continue;
      const word = step.canFail(second, before) ? pumpedWord(first, second, before) : null;
      if (word !== null) return word.map((each) => examples[each]).join('');
    }
  }
  return null;

  /**
   * Returns the classes of a word with which three walks are possible: from the first loop to itself, from it to the second
   * loop, and from the second loop to itself. Null if there is none.
   */
  function pumpedWord(first: number, second: number, start: number): number[] | null {
    const goal = [first, second, second, start].join();
    const seen = new Set<string>();
    const waiting = [{ stays: first, leaves: first, loops: second, before: start, word: [] as number[] }];
    for (const { stays, leaves, loops, before, word } of waiting)
      for (const after of classesOf(automaton))
        for (const looping of within(second, step.follow(loops, before, after)))
          for (const staying of within(first, step.follow(stays, before, after)))
            for (const leaving of step.follow(leaves, before, after).keys()) {
              if (!reaches[leaving]!.has(second)) continue;
              const key = [staying, leaving, looping, after].join();
              if (key === goal) return [...word, after];
              if (seen.has(key)) continue;
              seen.add(key);
              const next = { stays: staying, leaves: leaving, loops: looping, before: after };
              waiting.push({ ...next, word: [...word, after] });
            }
    return null;
  }

  /** Returns those of `positions` that belong to the same loop as `loop`. */
  function within(loop: number, positions: ReadonlyMap<number, number>): number[] {
    return positions
      .keys()
      .filter((at) => isSameLoop(loop, at))
      .toArray();
  }
}

/** Walks the automaton one character at a time. */
function createStepper(automaton: Automaton) {
  const { epsilon, readers, positions, accept } = automaton;
  const closures = new Map<string, { follow: Map<number, number>; accepts: boolean }>();

  /**
   * Returns where one can get from a position between the characters `before` and `after`, in how many ways (2 stands for
   * more), and whether the match can end there.
   */
  function closure(from: number, before: Side, after: Side) {
    const key = `${from} ${before} ${after}`;
    const known = closures.get(key);
    if (known) return known;
    const follow = new Map<number, number>();
    let accepts = false;
    const onPath = new Set<number>();
    const visit = (state: number): void => {
      if (onPath.has(state)) return;
      onPath.add(state);
      if (state === accept) accepts = true;
      for (const position of readers[state] ?? [])
        if (after !== 'edge' && positions[position]!.set[after])
          follow.set(position, Math.min(2, (follow.get(position) ?? 0) + 1));
      for (const { to, guard } of epsilon[state] ?? []) if (guard?.(before, after) ?? true) visit(to);
      onPath.delete(state);
    };
    visit(positions[from]!.to);
    const made = { follow, accepts };
    closures.set(key, made);
    return made;
  }
  const follow = (from: number, before: Side, after: Side) => closure(from, before, after).follow;
  const classes = classesOf(automaton);

  return {
    follow,
    /** Returns every position that a search can reach, with the class of the character that it read. */
    reachable(): [position: number, before: number][] {
      const seen = new Map<string, [number, number]>();
      const waiting: [number, Side][] = [[0, 'edge']];
      for (const [from, before] of waiting)
        for (const after of classes)
          for (const to of follow(from, before, after).keys()) {
            if (seen.has(`${to} ${after}`)) continue;
            seen.set(`${to} ${after}`, [to, after]);
            waiting.push([to, after]);
          }
      return [...seen.values()];
    },
    /** Returns whether some text makes the match fail once it has reached this position. */
    canFail(position: number, before: number): boolean {
      const seen = new Set<string>();
      const waiting: [number[], number][] = [[[position], before]];
      for (const [at, last] of waiting) {
        if (!at.some((each) => closure(each, last, 'edge').accepts)) return true;
        for (const after of classes) {
          if (at.some((each) => closure(each, last, after).accepts)) continue;
          const next = [...new Set(at.flatMap((each) => [...follow(each, last, after).keys()]))];
          const key = `${next.toSorted((a, b) => a - b).join()} ${after}`;
          if (seen.has(key)) continue;
          seen.add(key);
          waiting.push([next, after]);
        }
      }
      return false;
    },
  };
}

/** Returns, for each position, those that can follow it, ignoring lookarounds and boundaries. */
function reachability({ epsilon, readers, positions }: Automaton): Set<number>[] {
  const followers = positions.map(({ to }) => {
    const states = new Set([to]);
    for (const state of states) for (const { to: next } of epsilon[state]!) states.add(next);
    return [...states].flatMap((state) => readers[state]!);
  });
  return followers.map((first) => {
    const seen = new Set(first);
    for (const from of seen) for (const next of followers[from]!) seen.add(next);
    return seen;
  });
}
