import { z } from 'zod';
import { boundedFetch } from './bounded-fetch.ts';

const address = z.url({ protocol: /^https?$/ });

const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: address,
  token_endpoint: address,
  jwks_uri: address,
  userinfo_endpoint: address.optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});
export type OidcMetadata = z.infer<typeof metadataSchema>;

/** What the provider says of itself (OpenID Connect Discovery §4). @throws where it cannot be had or makes no sense. */
export async function discover(issuer: string): Promise<OidcMetadata> {
  const response = await boundedFetch(`${withoutSlash(issuer)}/.well-known/openid-configuration`);
  if (!response.ok) throw new Error(`${issuer} answered ${response.status} when asked what it is`);
  const metadata = metadataSchema.parse(await response.json());
  // Operators write the slash at the end or leave it out; ID tokens are held to what the provider itself says.
  if (withoutSlash(metadata.issuer) !== withoutSlash(issuer))
    throw new Error(`${issuer} calls itself ${metadata.issuer}`);
  const plain = Object.entries(metadata).find(
    ([, value]) => issuer.startsWith('https:') && typeof value === 'string' && !value.startsWith('https:'),
  );
  if (plain) throw new Error(`${issuer} has a ${plain[0]} without https`);
  return metadata;
}

const withoutSlash = (url: string) => url.replace(/\/$/, '');
