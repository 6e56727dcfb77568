import { parseAst, type Plugin } from 'vite';

const CONTRACT = /\/contract\/[\w/-]+\.ts$/;
const CALLS = /\/contract\/calls\/[\w-]+\.ts$/;
/** The parts of a call that `web/lib/api-client.ts` and `web/lib/http.ts` read. Only the server needs the rest. */
const USED_PARTS = ['method', 'path', 'access', 'response'];

const ZOD_CORE = /\/zod\/v4\/core\/core\.js$/;
const ZOD_SCHEMAS = /\/zod\/v4\/classic\/schemas\.js$/;
/** Modules of zod that only convert schemas to JSON Schema, or only detect schemas that contain themselves. */
const ZOD_UNUSED = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-processors|memoizer)\.js$/;
/** Methods such as `string().email()`, which zod deprecates in favour of `z.email()`. */
const ZOD_FORMAT_METHOD =
  /^ {4}\w+\(params\) \{\s+return this\.check\(core\._\w+\(Zod\w+, params\)\);\s+\},\n/gm;
/** Methods of schemas that neither the contract nor the pages call. Each method keeps its classes and functions in the bundle. */
const ZOD_UNUSED_METHODS =
  'and|exactOptional|nonoptional|overwrite|prefault|readonly|(?:safe)?(?:En|De|en|de)code(?:Async)?|(?:safeP|p)arseAsync|validate(?:Async)?|exactPartial|merge|required|safeExtend|normalize|slugify|lowercase|uppercase';
const ZOD_UNUSED_METHOD = new RegExp(
  String.raw`^ {4}(?:async )?(?:${ZOD_UNUSED_METHODS})(?:: (?:async )?function \w+)?\([^)]*\) \{\n(?: {8}.*\n)* {4}\},\n`,
  'gm',
);
const ZOD_IMPORT = /from 'zod'/;
/** A call of one of `ZOD_UNUSED_METHODS`. `TextEncoder` and `TextDecoder` have methods of the same names, which may be called. */
const ZOD_UNUSED_CALL = new RegExp(String.raw`(?<!coder\(\))\.(?:${ZOD_UNUSED_METHODS})\(`);

/** Removes code of the contract and of zod that the pages do not use. The build fails if a module calls a removed method. */
export function slimModules(): Plugin {
  return {
    name: 'slim-modules',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      const path = id.replaceAll('\\', '/');
      if (ZOD_IMPORT.test(code)) {
        const [call] = ZOD_UNUSED_CALL.exec(code) ?? [];
        if (call) this.error(`The pages load zod without ${call.slice(1)}…), see web/build/slim-modules.ts`);
      }
      if (CONTRACT.test(path)) return { code: slimmedCode(code, CALLS.test(path)), map: null };
      // Before zod creates the first schema, it tries to compile code. Our content security policy forbids that, and browsers
      // report the attempt.
      if (ZOD_CORE.test(path)) return { code: `${code}\nglobalConfig.jitless = true;`, map: null };
      // Removing these methods and the code compiler saves 6 kB.
      if (ZOD_SCHEMAS.test(path))
        return {
          code: code
            .replaceAll(ZOD_FORMAT_METHOD, '')
            .replaceAll(ZOD_UNUSED_METHOD, '')
            .replace('core.$ZodObjectJIT', 'core.$ZodObject'),
          map: null,
        };
      // Saves 6 kB.
      if (ZOD_UNUSED.test(path)) return { code: emptyFunctions(code), map: null };
      return null;
    },
  };
}

function emptyFunctions(code: string): string {
  const names = Array.from(code.matchAll(/^export (?:const|function|class) (\w+)/gm), ([, name]) => name);
  return names.map((name) => `export function ${name}() {}`).join('\n');
}

/**
 * Returns the source with computed constants marked as pure: `x` becomes `(() => x)()`. To a bundler, creating a schema looks
 * like a side effect; a pure constant is dropped if unused. With `isOfCalls`, object literals keep only the used parts of a call.
 */
export function slimmedCode(code: string, isOfCalls: boolean): string {
  let slim = '';
  let copiedTo = 0;
  const replace = (start: number, end: number, text: string): void => {
    slim += code.slice(copiedTo, start) + text;
    copiedTo = end;
  };
  for (const statement of parseAst(code, { lang: 'ts' }).body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const { init } of declaration.declarations) {
      // Plain literals need no mark, and functions are not computed.
      if (!init || init.type === 'Literal' || init.type === 'ArrowFunctionExpression') continue;
      replace(init.start, init.start, '/* @__PURE__ */ (() => (');
      if (isOfCalls && init.type === 'TSSatisfiesExpression' && init.expression.type === 'TSAsExpression') {
        const { expression: object } = init.expression;
        for (const part of object.type === 'ObjectExpression' ? object.properties : [])
          if (
            part.type === 'Property' &&
            part.key.type === 'Identifier' &&
            !USED_PARTS.includes(part.key.name)
          )
            replace(part.start, part.end + Number(code[part.end] === ','), '');
      }
      replace(init.end, init.end, '))()');
    }
  }
  return slim + code.slice(copiedTo);
}
