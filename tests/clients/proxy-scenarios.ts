import { derNull, integer, objectIdentifier, sequence } from '../kit/certificates/der-writer.ts';
import type { CertificateOptions } from '../kit/certificates/mint.ts';
import { extra } from './extension-scenarios.ts';
import { HOST, intermediateScenario, leafScenario, type Scenario, withChain } from './scenario.ts';

const language = (number: number): Buffer => sequence(objectIdentifier(`1.3.6.1.5.5.7.21.${number}`));

/** Options for a certificate with proxyCertInfo (RFC 3820 §3.8). */
const proxy = (value = sequence(language(1)), critical?: boolean): CertificateOptions =>
  extra('1.3.6.1.5.5.7.1.14', value, critical);

/** Servers with certificates that are marked as proxy certificates. */
export const PROXY_SCENARIOS: readonly Scenario[] = [
  leafScenario('proxyCertInfo in the leaf', proxy()),
  leafScenario('proxyCertInfo in a leaf with an RSA key', { key: 'RSA-2048', ...proxy() }),
  leafScenario('proxyCertInfo with a path length in the leaf', proxy(sequence(integer(3n), language(2)))),
  leafScenario('malformed proxyCertInfo in the leaf', proxy(derNull())),
  leafScenario('critical proxyCertInfo in the leaf', proxy(undefined, true)),
  intermediateScenario('proxyCertInfo in the intermediate', proxy()),
  intermediateScenario('malformed proxyCertInfo in the intermediate', proxy(Buffer.from([1, 2, 3]))),
  intermediateScenario('critical proxyCertInfo in the intermediate', proxy(undefined, true)),
  {
    name: 'proxyCertInfo in the upper intermediate',
    mint: ({ ecdsa }) =>
      withChain(
        ecdsa
          .intermediate(proxy())
          .intermediate({ commonName: 'Lower' })
          .issue({ dnsNames: [HOST] }),
      ),
  },
  ...(['first', 'last'] as const).map((place): Scenario => ({
    name: `proxyCertInfo in an intermediate that is sent ${place}, beside one without it`,
    mint({ ecdsa, rsa }) {
      const good = ecdsa.intermediate({ commonName: 'Twice' });
      const odd = rsa.intermediate({ commonName: 'Twice', key: good.key, ...proxy() });
      return [good.issue({ dnsNames: [HOST] }), ...(place === 'first' ? [odd, good] : [good, odd])];
    },
  })),
];
