import { fixFor } from './advice.ts';
import type { ChainFinding } from './chain-finding.ts';
import { displayName } from '../endpoint.ts';
import type { Observation } from '../observation.ts';
import { OWN_ROOT_FILE, reproduce } from './reproduce.ts';
import type { Finding } from '../verdict.ts';

/** Adds to findings what helps: what to do, the file to send, and a line that shows the same. */
export class FindingMaker {
  readonly #observation: Observation;
  readonly #served: string | null;
  readonly #hasOwnRoot: boolean;
  readonly #answered: number;

  /**
   * `served`: the leaf of the chain that the verdict offers as a file; null where it offers none. `hasOwnRoot`: the path ends
   * at a private authority.
   */
  constructor(observation: Observation, served: string | null, hasOwnRoot = false) {
    this.#hasOwnRoot = hasOwnRoot;
    this.#observation = observation;
    this.#served = served;
    this.#answered = observation.addresses.filter(({ outcome }) => outcome === 'handshake').length;
  }

  /** `leaf`: of the chain that the finding is about, where it is about one. */
  make(
    { mendedByChain, ...finding }: ChainFinding,
    addresses: string[],
    leaf: string | null,
    keyType: 'rsa' | 'ecdsa' | null = null,
  ): Finding {
    const { endpoint } = this.#observation;
    const isOffered = mendedByChain === true && leaf !== null && leaf === this.#served;
    const attachment = isOffered ? 'chain' : null;
    const command = reproduce({
      code: finding.code,
      endpoint,
      addresses: this.#onlyAt(finding, addresses),
      tlsVersion: this.#tlsVersion(addresses),
      keyType,
      hasOwnRoot: this.#hasOwnRoot,
    });
    const ownRoot = { label: `${OWN_ROOT_FILE} in the line`, value: 'the file with your authority’s root' };
    return {
      ...finding,
      evidence: command.includes(OWN_ROOT_FILE) ? [...finding.evidence, ownRoot] : finding.evidence,
      addresses,
      attachment,
      fix: fixFor({ ...finding, attachment }, displayName(endpoint)),
      command,
    };
  }

  /** Asking by name is plainer, and as good where every address shows the same. */
  #onlyAt({ code }: { code: Finding['code'] }, addresses: readonly string[]): readonly string[] {
    if (code === 'certificates_differ') return addresses.length === 0 ? [] : this.#all();
    return code !== 'address_unreachable' && addresses.length === this.#answered ? [] : addresses;
  }

  #all(): string[] {
    return this.#observation.addresses.flatMap(({ outcome, address }) =>
      outcome === 'handshake' ? [address] : [],
    );
  }

  #tlsVersion([first]: readonly string[]): string | null {
    const seen = this.#observation.addresses.find(({ address }) => address === first);
    return seen?.outcome === 'handshake' ? seen.tlsVersion : null;
  }
}
