/** Some of the JSON Schema keywords (2020-12) that occur in the schemas of the API. */
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

/** One field of a request or an answer, with its inner fields. */
export interface SchemaField {
  name: string;
  /** Type in words, such as `string`, `list of integer`, or `"up", "down" or null`. */
  type: string;
  isOptional: boolean;
  note: string;
  fields: SchemaField[];
}

const MAX_DEPTH = 4;

/** Describes a schema as a tree with at most `depth` levels of fields. A `$ref` becomes the schema's name, without fields. */
export function fieldsOf(name: string, schema: Schema, depth = MAX_DEPTH): SchemaField {
  if (schema.$ref !== undefined)
    return { name, type: nameOf(schema), isOptional: false, note: '', fields: [] };
  return {
    name,
    type: typeOf(schema),
    isOptional: false,
    note: schema.description ?? '',
    fields: depth === 0 ? [] : innerFields(schema, depth),
  };
}

function innerFields(schema: Schema, depth: number): SchemaField[] {
  const all = choicesOf(schema);
  const byName = new Map<string, SchemaField>();
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
        // Alternatives may give the same field different types.
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
