export { createAddressPolicy } from './address-policy.ts';
export type { AddressPolicy } from './address-policy.ts';
export { openConnection, TooManyBytes } from './open-connection.ts';
export { createResolver } from './resolver.ts';
export type { Resolution, Resolver } from './resolver.ts';
export { within } from './within.ts';
