import { z } from 'zod';
import { domainFilterSchema } from './domain.ts';
import { ATTENTION_REASONS, DOMAIN_GROUPINGS, DOMAIN_SORTS } from './words.ts';

/** Filter of the domains, and what to group them by. With the order `worst`, the group with the worst domain comes first. */
export const groupsQuerySchema = domainFilterSchema.extend({
  by: z.enum(DOMAIN_GROUPINGS),
  sort: z.enum(DOMAIN_SORTS).default('newest'),
});

/** At most 500 groups of the matching domains, the largest or the worst first. When grouped by tag, a domain is in the group of each of its tags. */
export const domainGroupsSchema = z.array(
  z.object({
    /** The tag, the state, or the issuer's name as in `authority_name`; null for domains that have none. */
    key: z.string().nullable(),
    total: z.number().int(),
    /** Number of domains that need attention. */
    attention: z.number().int(),
    /** The most urgent reason of these domains; null if none needs attention. */
    worst: z.enum(ATTENTION_REASONS).nullable().default(null),
  }),
);
export type DomainGroupWire = z.infer<typeof domainGroupsSchema>[number];
