/**
 * A predicate that also declares the type of what it accepts. Stored verdicts use it instead of zod, which is slower: every check
 * and every listed domain parses a verdict. It never changes the value, so its JSON can be compared with the next check's.
 */
export type Shape<T> = (value: unknown) => value is T;
/** The type of the values that a shape accepts. */
export type Infer<S> = S extends Shape<infer T> ? T : never;

/** The shapes of an object's properties. A property whose shape accepts undefined is optional. */
export type Properties = Readonly<Record<string, Shape<unknown>>>;
type OptionalKey<P> = { [Key in keyof P]: undefined extends Infer<P[Key]> ? Key : never }[keyof P];
type Merged<T> = { [Key in keyof T]: T[Key] };
export type InferObject<P> = Merged<
  { [Key in keyof P as Key extends OptionalKey<P> ? never : Key]: Infer<P[Key]> } & {
    [Key in keyof P as Key extends OptionalKey<P> ? Key : never]?: Exclude<Infer<P[Key]>, undefined>;
  }
>;
type Member<M> = M extends Shape<infer T> ? T : InferObject<M>;
/** The type of a union with these members, by the value of its tag. */
export type InferUnion<Tag extends string, Members> = {
  [Value in keyof Members]: Merged<Record<Tag, Value> & Member<Members[Value]>>;
}[keyof Members];

export const text: Shape<string> = (value) => typeof value === 'string';
export const number: Shape<number> = (value) => typeof value === 'number';
export const boolean: Shape<boolean> = (value) => typeof value === 'boolean';

/** Returns a shape for a code. It accepts any string, because newer versions know codes that this version does not. */
export const code = <Code extends string>(): Shape<Code> => text as Shape<Code>;

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const nullable =
  <T>(shape: Shape<T>): Shape<T | null> =>
  (value): value is T | null =>
    value === null || shape(value);

export const optional =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || shape(value);

export const list =
  <T>(shape: Shape<T>): Shape<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(shape);

/** Returns a shape for objects with these properties. It accepts additional properties. */
export function object<P extends Properties>(properties: P): Shape<InferObject<P>> {
  const keys = Object.keys(properties);
  const shapes = Object.values(properties);
  return (value): value is InferObject<P> => {
    if (!isRecord(value)) return false;
    for (let index = 0; index < keys.length; index++)
      if (shapes[index]?.(value[keys[index] ?? '']) === false) return false;
    return true;
  };
}

/**
 * Returns a shape for a union whose members differ in the value of the property `tag`. `other`: the shape of values with any
 * other tag; without it, such values are not accepted.
 */
export function union<
  const Tag extends string,
  M extends Readonly<Record<string, Properties | Shape<unknown>>>,
  Other = never,
>(tag: Tag, members: M, other?: Shape<Other>): Shape<InferUnion<Tag, M> | Other> {
  const shapes = new Map(
    Object.entries(members).map(([value, member]): [unknown, Shape<unknown>] => [
      value,
      typeof member === 'function' ? member : object(member),
    ]),
  );
  return (value): value is InferUnion<Tag, M> | Other =>
    typeof value === 'object' &&
    value !== null &&
    // The shape of the member refuses lists.
    (shapes.get((value as Record<string, unknown>)[tag]) ?? other)?.(value) === true;
}

/** Returns a shape for values that both shapes accept. */
export const both =
  <A, B>(first: Shape<A>, second: Shape<B>): Shape<A & B> =>
  (value): value is A & B =>
    first(value) && second(value);
