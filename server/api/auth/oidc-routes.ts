import { CALLS } from '../../../contract/calls.ts';
import type { Api, AppParts } from '../http/api.ts';
import { createForward, passOn } from './identity-forward.ts';
import { countChallenge } from './identity-limits.ts';
import { refuse } from '../http/problem.ts';

/** Sign-in with an OpenID provider, in a popup: where it begins, and where the provider sends it back to. */
export function oidcRoutes(api: Api, parts: AppParts): void {
  const { store, identity, config } = parts;
  if (identity.builtIn === null) return;
  const forward = createForward(parts);
  const done = new URL('/signed-in', config.publicUrl).href;

  api.on(CALLS.oidcStart, async ({ c, body, now }) => {
    if (!config.oidc.some(({ id }) => id === body.provider))
      return refuse('not_found', 'There is no such sign-in here.');
    const limited = await countChallenge(store, { client: c.get('client'), now });
    if (limited) return limited;
    return passOn(c, await forward(c, body));
  });

  api.on(CALLS.oidcCallback, async ({ c, params }) => {
    if (!config.oidc.some(({ id }) => id === params.id))
      return refuse('not_found', 'There is no such sign-in here.');
    const end = (await forward(c)).headers.get('location');
    return c.redirect(end?.startsWith(done) ? end : `${done}?error=failed`, 302);
  });
}
