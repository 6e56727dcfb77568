import { expect, it } from 'vitest';
import { type ProblemCode, PROBLEMS, problemSchema } from '../../contract/problem.ts';
import { describeAnyDatabase, freshStore } from '../kit/databases/database.ts';
import { INPUTS } from './access-inputs.ts';
import { type Answer, ask, type Route, routesOf } from './access-routes.ts';
import { type CallerName, CALLERS, createWorld, thingsFor } from './access-world.ts';
import type { Input } from '../kit/product/people.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

/**
 * What every call answers to every kind of caller. The anonymous caller, the owner and the stranger (both Premium) name the
 * owner's things; the others name their own. Short words stand for error codes of the contract.
 */
const TABLE = `
                                                            anonymous  owner    stranger  free     premium  disabled  deleted

post   /api/identity/sign-up/email                          ok         ok       ok        ok       ok       ok        ok
post   /api/identity/sign-in/email                          wrong      ok       ok        ok       ok       ok        wrong
post   /api/identity/sign-out                               ok         ok       ok        ok       ok       ok        ok
get    /api/identity/token                                  401        401      401       401      401      401       401
get    /api/identity/jwks                                   ok         ok       ok        ok       ok       ok        ok
get    /api/identity/methods                                401        ok       ok        ok       ok       401       401
post   /api/identity/resume                                 401        ok       ok        ok       ok       401       401
post   /api/identity/send-verification                      401        ok       ok        ok       ok       401       401
post   /api/identity/verify-email                           401        token    token     token    token    401       401
post   /api/identity/request-password-reset                 ok         ok       ok        ok       ok       ok        ok
post   /api/identity/reset-password                         token      token    token     token    token    token     token
post   /api/identity/two-factor/verify-totp                 401        401      401       401      401      401       401
post   /api/identity/two-factor/verify-backup-code          401        401      401       401      401      401       401
post   /api/identity/two-factor/enable                      401        401      401       401      401      401       401
post   /api/identity/two-factor/disable                     401        401      401       401      401      401       401
get    /api/identity/passkey/generate-authenticate-options  ok         ok       ok        ok       ok       ok        ok
post   /api/identity/passkey/verify-authentication          wrong      wrong    wrong     wrong    wrong    wrong     wrong
get    /api/identity/passkey/generate-register-options      401        401      401       401      401      401       401
post   /api/identity/passkey/verify-registration            401        401      401       401      401      401       401
post   /api/identity/passkey/delete-passkey                 401        401      401       401      401      401       401
post   /api/identity/sign-in/oauth2                         ok         ok       ok        ok       ok       ok        ok
get    /api/identity/oauth2/callback/{id}                   ok         ok       ok        ok       ok       ok        ok

post   /api/auth/firebase                                   token      ok       ok        ok       ok       barred    token
post   /api/auth/refresh                                    401        ok       ok        ok       ok       401       401
post   /api/auth/logout                                     ok         ok       ok        ok       ok       ok        ok

get    /api/user/me                                         401        ok       ok        ok       ok       401       401
patch  /api/user/time_zone                                  401        ok       ok        ok       ok       401       401
patch  /api/user/update                                     401        ok       ok        ok       ok       401       401
get    /api/user/sub                                        401        ok       ok        ok       ok       401       401
get    /api/user/premium                                    401        ok       ok        ok       ok       401       401
get    /api/user/standing                                   401        ok       ok        ok       ok       401       401
get    /api/user/sessions                                   401        ok       ok        ok       ok       401       401
delete /api/user/sessions/{id}                              401        ok       404       ok       ok       401       401
post   /api/user/sessions/end                               401        ok       ok        ok       ok       401       401
get    /api/user/export                                     401        ok       ok        ok       ok       401       401
get    /api/user/tokens                                     401        ok       ok        ok       ok       401       401
post   /api/user/tokens                                     401        ok       ok        ok       ok       401       401
delete /api/user/tokens/{id}                                401        ok       404       ok       ok       401       401
get    /api/user/authorities                                401        ok       ok        ok       ok       401       401
post   /api/user/authorities                                401        ok       ok        ok       ok       401       401
delete /api/user/authorities/{id}                           401        ok       404       ok       ok       401       401
post   /api/user_feedback/create                            401        ok       ok        ok       ok       401       401

get    /api/domain/list                                     401        ok       ok        ok       ok       401       401
get    /api/domain/summary                                  401        ok       ok        ok       ok       401       401
get    /api/domain/ids                                      401        ok       ok        ok       ok       401       401
get    /api/domain/groups                                   401        ok       ok        ok       ok       401       401
get    /api/domain/lookup                                   401        ok       ok        ok       ok       401       401
post   /api/domain/bulk                                     401        ok       ok        ok       ok       401       401
post   /api/domain/import/preview                           401        ok       ok        ok       ok       401       401
post   /api/domain/import                                   401        ok       ok        ok       ok       401       401
get    /api/certificate/list                                401        ok       ok        ok       ok       401       401
get    /api/certificate/export                              401        ok       ok        ok       ok       401       401
post   /api/certificate/expect                              401        ok       invalid_request premium  ok       401       401
get    /api/certificate/{fingerprint}                       401        ok       404       ok       ok       401       401
get    /api/deadline/list                                   401        ok       ok        ok       ok       401       401
get    /api/deadline/certificates                           401        ok       ok        ok       ok       401       401
get    /api/deadline/export                                 401        ok       ok        ok       ok       401       401
get    /api/deadline/{rule}/calendar                        401        ok       404       ok       ok       401       401
get    /api/domain/export                                   401        ok       ok        ok       ok       401       401
post   /api/domain/add                                      401        ok       ok        limit    ok       401       401
get    /api/domain/{id}                                     401        ok       404       ok       ok       401       401
patch  /api/domain/{id}                                     401        ok       404       ok       ok       401       401
delete /api/domain/{id}                                     401        ok       404       ok       ok       401       401
get    /api/domain/{id}/favicon                             401        ok       404       ok       ok       401       401
get    /api/domain/{id}/history                             401        ok       404       ok       ok       401       401
get    /api/domain/{id}/chain                               401        ok       404       ok       ok       401       401
get    /api/domain/{id}/report                              401        ok       404       ok       ok       401       401
get    /api/domain/{id}/history/diff                        401        ok       404       ok       ok       401       401
get    /api/domain/{id}/uptime                              401        ok       404       ok       ok       401       401
patch  /api/domain/{id}/frequency                           401        ok       404       premium  ok       401       401
post   /api/domain/{id}/check                               401        ok       404       ok       ok       401       401
post   /api/domain/{id}/pause                               401        ok       404       ok       ok       401       401
post   /api/domain/{id}/resume                              401        ok       404       limit    ok       401       401

get    /api/channels                                        401        ok       ok        ok       ok       401       401
post   /api/channels                                        401        ok       ok        premium  ok       401       401
patch  /api/channels/{key}                                  401        ok       404       ok       ok       401       401
post   /api/channels/{key}/test                             401        ok       404       premium  ok       401       401
post   /api/channels/{key}/secret                           401        ok       404       ok       ok       401       401
get    /api/channels/{key}/deliveries                       401        ok       404       ok       ok       401       401
delete /api/channels/{key}                                  401        ok       404       ok       ok       401       401
get    /api/deliveries/{id}                                 401        ok       404       ok       ok       401       401
post   /api/deliveries/{id}/replay                          401        ok       404       ok       ok       401       401
get    /api/alerts                                          401        ok       ok        ok       ok       401       401
patch  /api/alerts                                          401        ok       ok        ok       ok       401       401
post   /api/alerts/preview                                  401        ok       404       ok       ok       401       401
post   /api/alerts/calendar                                 401        ok       ok        ok       ok       401       401
delete /api/alerts/calendar                                 401        ok       ok        ok       ok       401       401
get    /api/maintenance                                     401        ok       ok        ok       ok       401       401
post   /api/maintenance                                     401        ok       404       ok       ok       401       401
delete /api/maintenance/{id}                                401        ok       404       ok       ok       401       401
get    /api/domain/{id}/alerts                              401        ok       404       ok       ok       401       401
patch  /api/domain/{id}/alerts                              401        ok       404       ok       ok       401       401
post   /api/domain/{id}/alerts/subscribe                    401        ok       404       ok       ok       401       401
post   /api/incidents/{id}/acknowledge                      401        ok       404       ok       ok       401       401
post   /api/incidents/{id}/snooze                           401        ok       404       ok       ok       401       401
get    /api/calendar/{file}                                 404        404      404       404      404      404       404
post   /api/recipients/confirm                              token      token    token     token    token    token     token
post   /api/recipients/subscription                         token      token    token     token    token    token     token
patch  /api/recipients/subscription                         token      token    token     token    token    token     token
post   /api/unsubscribe/{token}                             token      token    token     token    token    token     token
get    /api/unsubscribe/{token}                             ok         ok       ok        ok       ok       ok        ok

get    /api/payment/products                                401        ok       ok        ok       ok       401       401
post   /api/payment/checkout                                401        ok       ok        ok       bought   401       401
get    /api/payment/billing                                 401        ok       ok        ok       ok       401       401
post   /api/payment/webhook                                 unsigned   unsigned unsigned  unsigned unsigned unsigned  unsigned
post   /api/user/trial                                      401        bought   bought    ok       bought   401       401
post   /api/payment/test/pay                                401        ok       404       ok       bought   401       401
get    /api/payment/test/subscription                       401        ok       ok        ok       ok       401       401
post   /api/payment/test/event                              401        ok       404       ok       ok       401       401

get    /api/status-page                                     401        ok       ok        ok       ok       401       401
patch  /api/status-page                                     401        ok       404       ok       ok       401       401
post   /api/status-page/preview                             401        ok       ok        ok       ok       401       401
get    /api/status-page/address                             401        ok       ok        ok       ok       401       401
get    /api/status/{slug}                                   404        404      404       404      404      404       404
get    /api/domain/{id}/badge                               401        ok       404       ok       ok       401       401
post   /api/domain/{id}/badge                               401        ok       404       ok       ok       401       401
delete /api/domain/{id}/badge                               401        ok       404       ok       ok       401       401
get    /api/account/metrics                                 401        ok       ok        ok       ok       401       401

get    /api/events                                          401        ok       ok        ok       ok       401       401
post   /api/try                                             nobody     nobody   nobody    nobody   nobody   nobody    nobody
get    /api/config                                          ok         ok       ok        ok       ok       ok        ok
get    /api/health                                          ok         ok       ok        ok       ok       ok        ok
get    /api/health/live                                     ok         ok       ok        ok       ok       ok        ok
get    /api/health/ready                                    ok         ok       ok        ok       ok       ok        ok
get    /api/health/late                                     ok         ok       ok        ok       ok       ok        ok

delete /api/user/me                                         401        ok       ok        ok       ok       401       401
`;

const MANY = 'post /api/domain/bulk';

const CODES: Record<string, ProblemCode> = {
  '401': 'not_authenticated',
  '404': 'not_found',
  barred: 'account_disabled',
  bought: 'already_subscribed',
  limit: 'limit_reached',
  // Without a worker, nobody answers this call.
  nobody: 'unavailable',
  premium: 'premium_required',
  token: 'invalid_token',
  unsigned: 'invalid_signature',
  wrong: 'invalid_credentials',
};

const rows = TABLE.split('\n')
  .map((line) => line.trim().split(/\s+/))
  .filter((cells) => cells.length > CALLERS.length)
  .map(([method, path, ...words]) => ({ key: `${method} ${path}`, words }));

/** Returns the table's word for an answer. If the answer violates the contract, returns a text that no row of the table has. */
function wordFor({ status, text }: Answer, { operation }: Route): string {
  const described = operation.responses[String(status)]?.description;
  if (described !== undefined && status < 400) return 'ok';
  const problem = problemSchema.strict().parse(JSON.parse(text));
  if (problem.detail === 'The API has no such call.') return 'not-served';
  if (PROBLEMS[problem.code].status !== status || !described?.includes(`\`${problem.code}\``))
    return `undocumented:${problem.code}`;
  return Object.keys(CODES).find((word) => CODES[word] === problem.code) ?? problem.code;
}

/** Returns whether a request contains a text. */
const isIn = (input: Input) => (text: string) =>
  JSON.stringify(input).includes(JSON.stringify(text).slice(1, -1));

const inLine = (key: string, words: string[]) => [key.padEnd(60), ...words].join(' ');

/** The owner comes last, to show that the other callers left everything unchanged. */
const inTurn: CallerName[] = [...CALLERS.filter((name) => name !== 'owner'), 'owner'];

it('The access table has one row for every call that the OpenAPI document lists and the server serves', async () => {
  const api = await startApi(() => freshStore('sqlite'));
  const described = (await routesOf(api)).map(({ method, path }) => `${method} ${path}`);
  expect(rows.map(({ key }) => key).toSorted(), 'rows of the table').toEqual(described.toSorted());

  const served = api.routes
    .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
    .map(({ method, path }) => `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
  expect(served.toSorted(), 'calls that are served').toEqual(
    [...described, 'get /api/openapi.json', 'get /api/docs'].toSorted(),
  );
  promise('8.1.1');
});

describeAnyDatabase('Access control', (open) => {
  it('answers every caller as the access table says; refused callers change nothing and see no secrets', async () => {
    const world = await createWorld(open);
    const { api } = world;
    const routes = await routesOf(api);
    const actual: string[] = [];
    const faults: string[] = [];

    for (const { key } of rows) {
      const route = routes.find(({ method, path }) => `${method} ${path}` === key);
      if (route === undefined) continue;
      const words: Partial<Record<CallerName, string>> = {};
      let isOwners = false;
      for (const name of inTurn) {
        const caller = world.caller(name);
        const client = await caller.arrive();
        const secrets = world.secrets();
        const input = INPUTS[route.operation.operationId]({ caller, things: thingsFor(world, caller) });
        const before = await world.rows();
        const answer = await ask(client, route, input);
        const after = await world.rows();
        if (route.method !== 'get') caller.leave();

        const word = wordFor(answer, route);
        words[name] = word;
        const isJson = answer.headers.get('content-type')?.includes('json');
        if (route.operation.security && isJson && answer.headers.get('cache-control') !== 'no-store')
          faults.push(`${key}: caches may keep what ${name} is told`);
        if (name === 'stranger')
          isOwners = word === '404' || Object.values(world.caller('owner').things).some(isIn(input));
        if (name === 'owner') {
          // If the call refused its owner too, a refusal of other callers would prove nothing.
          if (isOwners && route.operation.security && word !== 'ok') faults.push(`${key} refuses its owner`);
          continue;
        }
        const said = `${answer.text} ${JSON.stringify([...answer.headers])}`;
        // The answer of the bulk call repeats the ids of its request, which is no leak.
        const isNews = (secret: string) => key !== MANY || !JSON.stringify(input.body).includes(secret);
        for (const secret of secrets.filter(isNews))
          if (said.includes(secret)) faults.push(`${key} tells ${name} ${secret}`);
        // An allowed caller changes only its own rows; a refused caller changes nothing.
        const isWatched = (text: string) => word !== 'ok' || secrets.some((secret) => text.includes(secret));
        const changed = [...new Set(before).symmetricDifference(new Set(after))];
        for (const text of changed.filter(isWatched)) faults.push(`${key} by ${name} changes ${text}`);
      }
      actual.push(
        inLine(
          key,
          CALLERS.map((name) => words[name] ?? ''),
        ),
      );
    }
    expect(actual).toEqual(rows.map(({ key, words }) => inLine(key, words)));
    expect(faults).toEqual([]);
    promise('tenants');
    promise('7.4.1');
    promise('8.2.1');
    promise('8.4.1');
  }, 240_000);
});
