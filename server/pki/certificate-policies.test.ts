import { describe, expect, it } from 'vitest';
import { integer, objectIdentifier, sequence, tagged } from '../../tests/kit/certificates/der-writer.ts';
import { mintAuthority } from '../../tests/kit/certificates/mint.ts';
import { type Certificate, parseCertificate } from './certificate.ts';
import { arePoliciesSatisfied } from './certificate-policies.ts';

const ANY = '2.5.29.32.0';
const [GOLD, SILVER] = ['1.2.3.1', '1.2.3.2'];
const root = mintAuthority();

interface Policies {
  policies?: string[];
  mappings?: [string, string][];
  requireExplicit?: number;
  inhibitMapping?: number;
  inhibitAny?: number;
  selfIssued?: boolean;
}

let count = 0;
function certificate({
  policies,
  mappings,
  requireExplicit,
  inhibitMapping,
  inhibitAny,
  selfIssued,
}: Policies): Certificate {
  const constraints = [requireExplicit, inhibitMapping].flatMap((skip, number) =>
    skip === undefined ? [] : [tagged(number, false, Buffer.of(skip))],
  );
  const oids = (list: string[]) => list.map((oid) => objectIdentifier(oid));
  const extensions = [
    policies && { oid: '2.5.29.32', value: sequence(...oids(policies).map((oid) => sequence(oid))) },
    mappings && { oid: '2.5.29.33', value: sequence(...mappings.map((pair) => sequence(...oids(pair)))) },
    constraints.length > 0 && { oid: '2.5.29.36', critical: true, value: sequence(...constraints) },
    inhibitAny !== undefined && { oid: '2.5.29.54', critical: true, value: integer(BigInt(inhibitAny)) },
  ].filter((one) => typeof one === 'object');
  const minted = root.intermediate({
    key: root.key,
    commonName: `CA ${count++}`,
    extraExtensions: extensions,
  });
  const issuerDer = minted.subjectDer;
  if (selfIssued !== true) return parseCertificate(minted.der);
  return parseCertificate(
    root.intermediate({ key: root.key, subjectDer: issuerDer, issuerDer, extraExtensions: extensions }).der,
  );
}

/**
 * Returns whether the policies of a path are satisfied. `path`: from the certificate below the anchor down to the leaf.
 */
const satisfied = (...path: Policies[]) => arePoliciesSatisfied(path.map(certificate));

describe('certificate policies', () => {
  it('do not matter unless a certificate requires them', () => {
    expect(satisfied({}, {})).toBe(true);
    expect(satisfied({ policies: [GOLD] }, { policies: [SILVER] })).toBe(true);
    expect(satisfied({ inhibitMapping: 0 }, {})).toBe(true);
  });

  it('must be valid along the whole path once they are required', () => {
    expect(satisfied({ policies: [GOLD], requireExplicit: 0 }, { policies: [GOLD] })).toBe(true);
    expect(satisfied({ policies: [GOLD], requireExplicit: 0 }, { policies: [SILVER] })).toBe(false);
    expect(satisfied({ policies: [GOLD], requireExplicit: 0 }, {})).toBe(false);
    expect(satisfied({ requireExplicit: 0 }, { policies: [GOLD] })).toBe(false);
  });

  it('are required only after the given number of certificates, not counting self-issued ones', () => {
    expect(satisfied({ requireExplicit: 3 }, {}, {})).toBe(true);
    expect(satisfied({ requireExplicit: 1 }, {}, {})).toBe(false);
    expect(satisfied({ requireExplicit: 2 }, {}, {})).toBe(false);
    expect(satisfied({ requireExplicit: 3 }, { selfIssued: true }, {}, {})).toBe(true);
  });

  it('can be required by the leaf itself', () => {
    expect(satisfied({}, { requireExplicit: 0 })).toBe(false);
    expect(satisfied({ policies: [GOLD] }, { policies: [GOLD], requireExplicit: 0 })).toBe(true);
  });

  it('are all covered by anyPolicy, unless anyPolicy is inhibited', () => {
    const required = { policies: [ANY], requireExplicit: 0 };
    expect(satisfied(required, { policies: [GOLD] }, { policies: [GOLD] })).toBe(true);
    expect(
      satisfied({ policies: [GOLD], requireExplicit: 0 }, { policies: [ANY] }, { policies: [GOLD] }),
    ).toBe(true);
    expect(satisfied({ ...required, inhibitAny: 0 }, { policies: [ANY] }, { policies: [GOLD] })).toBe(false);
    const renewed = { policies: [ANY], selfIssued: true };
    expect(satisfied({ ...required, inhibitAny: 0 }, renewed, { policies: [GOLD] })).toBe(true);
  });

  it('of the anchor are checked if the anchor is given', () => {
    const withAnchor = (anchor: Policies, ...path: Policies[]) =>
      arePoliciesSatisfied(path.map(certificate), certificate({ ...anchor, selfIssued: true }));
    expect(withAnchor({ requireExplicit: 0 }, { policies: [GOLD] }, { policies: [GOLD] })).toBe(true);
    expect(withAnchor({ requireExplicit: 0 }, {}, {})).toBe(false);
    expect(withAnchor({ requireExplicit: 3 }, {}, {})).toBe(true);
    expect(withAnchor({ policies: [SILVER], requireExplicit: 0 }, { policies: [GOLD] })).toBe(false);
    expect(withAnchor({ policies: [SILVER] }, { policies: [GOLD] })).toBe(true);
  });

  it('can be mapped, unless mapping is inhibited', () => {
    const mapping: Policies = { policies: [GOLD], mappings: [[GOLD, SILVER]], requireExplicit: 0 };
    expect(satisfied(mapping, { policies: [SILVER] })).toBe(true);
    expect(satisfied(mapping, { policies: [GOLD] })).toBe(false);
    expect(satisfied({ policies: [GOLD], inhibitMapping: 0 }, mapping, { policies: [SILVER] })).toBe(false);
    expect(satisfied({ ...mapping, policies: [ANY] }, { policies: [SILVER] })).toBe(true);
  });

  it('cannot be mapped from or to anyPolicy', () => {
    expect(satisfied({ policies: [GOLD], mappings: [[ANY, GOLD]] }, {})).toBe(false);
    expect(satisfied({ policies: [GOLD], mappings: [[GOLD, ANY]] }, {})).toBe(false);
  });
});
