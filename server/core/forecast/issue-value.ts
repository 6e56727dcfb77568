/** What the value of a CAA property `issue` or `issuewild` says, or a TXT record of `_validation-persist`, which has the same syntax. */
export interface IssueValue {
  /** As written; empty if the value names nobody. */
  issuer: string;
  /** Parameters with their tags as written. */
  parameters: readonly { tag: string; value: string }[];
}

/** Letters, digits and hyphens. Labels and tags have no hyphen at an end. */
const LABEL = /^[a-z\d-]+$/i;
const VALUE = /^[!-:<-~]*$/;
/** Longest value that is read. A longer one is treated as malformed. */
const MAX_LENGTH = 4_096;

/**
 * Reads a value by the grammar of RFC 8659 §4.2. Null if it does not match: such a property authorises nobody. Accepts a semicolon at the
 * end, as CAs do.
 */
export function readIssueValue(text: string): IssueValue | null {
  if (text.length > MAX_LENGTH) return null;
  const [first = '', ...rest] = text.split(';');
  const issuer = trimmed(first);
  if (issuer !== '' && !issuer.split('.').every(isLabel)) return null;
  if (rest.length > 0 && trimmed(rest.at(-1) ?? '') === '') rest.pop();
  const parameters: { tag: string; value: string }[] = [];
  for (const parameter of rest) {
    const at = parameter.indexOf('=');
    if (at === -1) return null;
    const tag = trimmed(parameter.slice(0, at));
    const value = trimmed(parameter.slice(at + 1));
    if (!isLabel(tag) || !VALUE.test(value)) return null;
    parameters.push({ tag, value });
  }
  return { issuer, parameters };
}

const isLabel = (text: string): boolean => LABEL.test(text) && !text.startsWith('-') && !text.endsWith('-');

/** Returns the values of a parameter, by its tag in any case. */
export function parameterValues({ parameters }: IssueValue, tag: string): string[] {
  return parameters.filter((one) => one.tag.toLowerCase() === tag).map(({ value }) => value);
}

/** Trims the white space of the grammar: spaces and tabs (RFC 5234, WSP). Works from both ends, so that long runs cost linear time. */
function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && (text[start] === ' ' || text[start] === '\t')) start++;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(start, end);
}
