import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'vite';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Call } from '../contract/calls/call.ts';
import { CALLS } from '../contract/calls/calls.ts';
import { backtracksOn } from './kit/regular-expressions/regex-backtracking.ts';
import { promise } from './security/promise.ts';

const root = join(import.meta.dirname, '..');
const sources = ['server', 'contract'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => join(folder, path)),
);

/** Returns the regular expression literals of a file, and the code that builds others from strings. */
function regexesIn(path: string): { literals: RegExp[]; built: string[] } {
  const text = readFileSync(join(root, path), 'utf8');
  const literals: RegExp[] = [];
  const built: string[] = [];
  const noteBuilt = ({ callee, start, end }: ESTree.NewExpression | ESTree.CallExpression) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') built.push(text.slice(start, end));
  };
  new Visitor({
    Literal(node) {
      if ('regex' in node) literals.push(new RegExp(node.regex.pattern, node.regex.flags));
    },
    NewExpression: noteBuilt,
    CallExpression: noteBuilt,
  }).visit(parseSync(path, text).program);
  return { literals, built };
}

/** Returns every `pattern` of a JSON Schema, from the contract and from formats such as email addresses. */
function patternsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'pattern' in schema && typeof schema.pattern === 'string' ? [schema.pattern] : [];
  return [...own, ...Object.values(schema).flatMap(patternsOf)];
}

describe('The server', () => {
  it('searches in linear time with every regular expression, whatever the text', () => {
    const all = sources.map((path) => ({ path, ...regexesIn(path) }));
    expect(all.flatMap(({ literals }) => literals).length).toBeGreaterThan(200);
    const slow = all.flatMap(({ path, literals }) =>
      literals.filter((regex) => backtracksOn(regex) !== null).map((regex) => `${path}: ${regex}`),
    );
    expect(slow).toEqual([]);
    // A regular expression that is built from a string would not be analysed, so there must be none.
    expect(all.flatMap(({ built }) => built)).toEqual([]);
    promise('regular-expressions');
  });

  it('validates input in linear time with every pattern of the contract', () => {
    const inputs = Object.values(CALLS).flatMap((call: Call) => [call.params, call.query, call.body]);
    const patterns = inputs.flatMap((input) =>
      input === undefined ? [] : patternsOf(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })),
    );
    expect(new Set(patterns).size).toBeGreaterThan(5);
    expect(
      [...new Set(patterns)].filter((pattern) => backtracksOn(new RegExp(pattern, 'u')) !== null),
    ).toEqual([]);
    promise('regular-expressions');
  });
});

describe('The analysis of regular expressions', () => {
  it.each([
    [/\.[^/]*$/],
    [/(?<=.)\/+$/],
    [/\s+$/],
    [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/@"\\]+@/gi],
    [/\d{6,}:[\w-]{30,}/g],
    [/^(a+)+$/],
    [/^(?:a|a)*$/],
    [/^(?:\s*a?)*$/],
    [/^(?:a{3,5})*b$/],
    [/^\s*(.*?)\s*$/],
    [/(?=[a-z]*)x/],
    [/^(?:(?:ab)*|[ab]*)*$/],
    [/<link\b[^>]*>/],
    [/.*x/s],
    [/^(?=(?:a*)*b)/],
    [/(?:^|,)\s*\w*\s*\w*;/],
    [/[^@]{1,300}@/],
    [/(a)[^]*\1b/],
  ])('finds that %s can take quadratic time or more', (pattern) => {
    expect(backtracksOn(pattern)).not.toBeNull();
  });

  it.each([
    [/^[\w.-]{8,128}$/],
    [/\s+/g],
    [/(?<![/])\/+$/],
    [/^(.*):(.*)$/s],
    [/^\s*[\w-]+\s*;/],
    [/`([^`]+)`/g],
    [/^[^<>]*<((?:[^<>"']|"[^<"]*"|'[^<']*')*)>/],
    [/(?<![\w-])(?![\da-f]+(?![\w-]))[\w-]{43,}/g],
    [/\bclt_[\w-]+/g],
    [/^(?:[a-z]+\.)*[a-z]+$/],
    [/-----BEGIN (X |Y )?Z-----([A-Za-z\s]*)-----END \1?Z-----/g],
    [/a*/g],
    [/[\s]*\S/y],
  ])('finds that %s takes linear time', (pattern) => {
    expect(backtracksOn(pattern)).toBeNull();
  });
});
