import { expect, it } from 'vitest';
import { CALLS } from '../../contract/calls/calls.ts';
import { SECOND_MS } from '../../contract/durations.ts';
import { createAddressPolicy } from '../../server/egress/address-policy.ts';
import { createResolver } from '../../server/egress/resolver.ts';
import { hasPlaces } from '../../server/probe/places.ts';
import { describeAnyDatabase } from '../kit/databases/database.ts';
import type { SrvEntry } from '../kit/peers/dns-server.ts';
import { createClient } from '../kit/product/people.ts';
import { startRig, until } from '../worker/rig.ts';
import { startApi } from './test-api.ts';
import { promise } from '../security/promise.ts';

/** SRV records. They say that a domain has no XMPP, or name a port that we do not check. */
const SRV: Record<string, SrvEntry[]> = {
  denied: [{ target: '', port: 0 }],
  dbport: [{ target: 'inside.corp.example', port: 5432 }],
  locals: [{ target: 'xmpp.internal', port: 5222 }],
};

/** Names that only a private network's own name servers know, and a name that nobody knows. All have the same length. */
const NAMES = {
  absent: undefined,
  inside: { addresses: ['127.0.0.1'] },
  twofam: { addresses: ['10.0.0.7', 'fd00::7'] },
  ranges: { addresses: ['169.254.169.254'] },
  nodata: { addresses: [] },
  denied: { addresses: [] },
  dbport: { addresses: ['10.0.0.7'] },
  locals: { addresses: ['10.0.0.7'] },
} as const;

describeAnyDatabase('A name whose addresses are refused', (open) => {
  it.each(['https', 'xmpp'])(
    'is answered in every call like a name that does not exist (%s)',
    async (scheme) => {
      const rig = await startRig(await open(), { allow: [] });
      rig.clock.set(Date.now());
      const policy = createAddressPolicy([]);
      const resolver = createResolver({ servers: [rig.dns.address], policy });
      const api = await startApi(async () => rig.store, {
        policy,
        clock: rig.clock,
        timing: { firstCheckMs: 20 * SECOND_MS, previewMs: 20 * SECOND_MS },
        isInDns: (endpoint) => hasPlaces(endpoint, { resolver, signal: new AbortController().signal }),
      });
      const { bob } = await api.cast();
      for (const [name, entry] of Object.entries(NAMES)) {
        if (entry) rig.dns.entries.set(`${name}.corp.example`, entry);
        const srv = SRV[name] ?? [{ target: `${name}.corp.example`, port: 5222 }];
        if (entry) rig.dns.entries.set(`_xmpp-client._tcp.${name}.corp.example`, { srv });
      }
      rig.worker.start();

      const answers = new Map<string, string>();
      for (const [index, name] of Object.keys(NAMES).entries()) {
        const host = `${scheme}://${name}.corp.example`;
        const { ok: lookup } = await bob.ask(CALLS.lookUpHost, { query: { host } });
        expect(lookup.data.in_dns).toBe(false);
        const { ok: added } = await bob.ask(CALLS.addDomain, { body: { host } });
        await bob.ask(CALLS.removeDomain, { params: { id: added.data.id } });
        const { ok: imported } = await bob.ask(CALLS.importDomains, { body: { entries: [{ host }] } });
        const params = { id: imported.data[0]?.domain?.id ?? '' };
        await until(async () => (await bob.ask(CALLS.domain, { params })).ok.data.last_checked_at !== null);
        const seen = {
          lookup,
          added,
          imported,
          domain: (await bob.ask(CALLS.domain, { params })).ok,
          report: (await bob.ask(CALLS.domainReport, { params })).ok,
          csv: await (await bob.send(`/api/domain/export?q=${name}`)).text(),
          preview: (
            await createClient(api.sendFrom(`198.51.100.${index}`)).ask(CALLS.glance, { body: { host } })
          ).ok,
        };
        answers.set(
          name,
          JSON.stringify(seen, null, 1)
            .replaceAll(name, 'NAME')
            .replaceAll(/[0-9a-f-]{36}/g, 'ID'),
        );
      }
      for (const [name, answer] of answers) expect(answer, name).toBe(answers.get('absent'));
      promise('refused-addresses');
    },
  );
});
