/** As much of JSON Schema (2020-12) as our own schemas come to. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

/** A line of what a call takes or answers, with what is in it. */
export interface Field {
  name: string;
  /** In words: `string`, `list of integer`, `"up", "down" or null`. */
  type: string;
  isOptional: boolean;
  note: string;
  fields: Field[];
}

const DEEPEST = 4;

/** A schema as lines for people. Of a shape that has a name there is the name alone, but where it is asked for itself. */
export function fieldsOf(name: string, schema: Schema, depth = DEEPEST): Field {
  if (schema.$ref !== undefined)
    return { name, type: nameOf(schema), isOptional: false, note: '', fields: [] };
  const known = schema;
  return {
    name,
    type: typeOf(known),
    isOptional: false,
    note: known.description ?? '',
    fields: depth === 0 ? [] : innerFields(known, depth),
  };
}

function innerFields(schema: Schema, depth: number): Field[] {
  const all = choicesOf(schema);
  const byName = new Map<string, Field>();
  for (const choice of all) {
    const of = choice.items ?? choice;
    if (choice.items && !of.properties) {
      for (const field of innerFields(of, depth)) byName.set(field.name, field);
      continue;
    }
    for (const [name, property] of Object.entries(of.properties ?? {})) {
      const field = fieldsOf(name, property, depth - 1);
      const isRequired = of.required?.includes(name) === true;
      const former = byName.get(name);
      byName.set(name, {
        ...field,
        // Of several forms each may have another word for the same field.
        type: former && former.type !== field.type ? `${former.type} or ${field.type}` : field.type,
        isOptional: !isRequired || (former?.isOptional ?? false),
      });
    }
  }
  return [...byName.values()];
}

function choicesOf(schema: Schema): Schema[] {
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  return choices === undefined ? [schema] : choices.flatMap((choice) => choicesOf(choice));
}

const nameOf = ({ $ref = '' }: Schema): string => $ref.split('/').at(-1) ?? '';

function typeOf(schema: Schema): string {
  const words = choicesOf(schema).map((choice) => wordOf(choice));
  return [...new Set(words.flatMap((word) => word.split(' or ')))].join(' or ');
}

function wordOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  const types = [schema.type ?? (schema.properties ? 'object' : 'anything')].flat();
  return types
    .map((type) => (type === 'array' ? `list of ${typeOf(schema.items ?? {})}` : type))
    .join(' or ');
}
