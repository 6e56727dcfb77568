import { integer, objectIdentifier, sequence, tagged, utf8String } from '../kit/certificates/der-writer.ts';
import { nameDer } from '../kit/certificates/mint.ts';
import { extra, OID } from './extension-scenarios.ts';
import { HOST, intermediateScenario, leafScenario, type Scenario } from './scenario.ts';

/** Servers whose certificates have odd constraints on names, policies and TLS features. */
export const CONSTRAINT_SCENARIOS: readonly Scenario[] = [
  intermediateScenario('name constraints that permit the name', { permitted: { dns: ['example'] } }),
  intermediateScenario('name constraints that permit another name', {
    permitted: { dns: ['other.example'] },
  }),
  intermediateScenario('name constraints that exclude the name', { excluded: { dns: ['example'] } }),
  intermediateScenario('name constraints with a leading dot', { permitted: { dns: ['.example'] } }),
  intermediateScenario('name constraints on a form that few know', {
    extraExtensions: [
      {
        oid: '2.5.29.30',
        critical: true,
        value: sequence(tagged(0, true, sequence(tagged(8, false, Buffer.from([42, 3]))))),
      },
    ],
  }),
  intermediateScenario('name constraints that permit an empty name', { permitted: { dns: [''] } }),
  intermediateScenario('name constraints on addresses', { permitted: { ip: ['10.0.0.0/8'] } }),
  intermediateScenario('name constraints on email addresses', { permitted: { email: ['other.example'] } }),
  intermediateScenario(
    'name constraints that exclude a further name',
    { excluded: { dns: ['other.example'] } },
    { dnsNames: [HOST, 'other.example'] },
  ),
  intermediateScenario(
    'name constraints on the common name',
    { permitted: { dns: ['example'] } },
    { commonName: 'other.test' },
  ),
  intermediateScenario(
    'name constraints that exclude all of a wildcard',
    { excluded: { dns: ['a.odd.example'] } },
    { dnsNames: [HOST, '*.odd.example'] },
  ),
  intermediateScenario(
    'policy constraints that allow mapping never',
    extra(OID.policyConstraints, sequence(tagged(1, false, Buffer.from([0]))), true),
  ),
  intermediateScenario(
    'policy constraints that are not critical',
    extra(OID.policyConstraints, sequence(tagged(1, false, Buffer.from([0])))),
  ),
  intermediateScenario('empty policy constraints', extra(OID.policyConstraints, sequence(), true)),
  intermediateScenario(
    'an explicit policy after 300 certificates',
    extra(OID.policyConstraints, sequence(tagged(0, false, Buffer.from([1, 44]))), true),
  ),
  intermediateScenario('critical inhibitAnyPolicy', extra(OID.inhibitAnyPolicy, integer(0n), true)),
  intermediateScenario('inhibitAnyPolicy', extra(OID.inhibitAnyPolicy, integer(0n))),
  intermediateScenario('inhibitAnyPolicy of 256', extra(OID.inhibitAnyPolicy, integer(256n), true)),
  intermediateScenario('inhibitAnyPolicy of −1', extra(OID.inhibitAnyPolicy, integer(-1n), true)),
  leafScenario('inhibitAnyPolicy of 256 in the leaf', extra(OID.inhibitAnyPolicy, integer(256n))),
  leafScenario(
    'anyPolicy',
    extra(OID.certificatePolicies, sequence(sequence(objectIdentifier('2.5.29.32.0')))),
  ),
  leafScenario(
    'policyMappings with anyPolicy',
    extra(
      OID.policyMappings,
      sequence(sequence(objectIdentifier('2.5.29.32.0'), objectIdentifier('1.2.3.4'))),
    ),
  ),
  leafScenario('TLS feature 17', extra(OID.tlsFeature, sequence(integer(17n)))),
  leafScenario('TLS features 5 and 17', extra(OID.tlsFeature, sequence(integer(5n), integer(17n)))),
  leafScenario('critical TLS feature 17', extra(OID.tlsFeature, sequence(integer(17n)), true)),
  ...Object.entries({
    'an explicit minimum of 0': sequence(
      tagged(2, false, Buffer.from('example')),
      tagged(0, false, Buffer.from([0])),
    ),
    'a minimum of 1': sequence(tagged(2, false, Buffer.from('example')), tagged(0, false, Buffer.from([1]))),
    'a maximum': sequence(tagged(2, false, Buffer.from('example')), tagged(1, false, Buffer.from([9]))),
    'a wildcard': sequence(tagged(2, false, Buffer.from('*.example'))),
    'a trailing dot': sequence(tagged(2, false, Buffer.from('example.'))),
    'an upper-case name': sequence(tagged(2, false, Buffer.from('EXAMPLE'))),
    'an underscore': sequence(tagged(2, false, Buffer.from('a_b.example'))),
  }).map(([name, subtree]) =>
    intermediateScenario(
      `name constraints with ${name}`,
      extra(OID.nameConstraints, sequence(tagged(0, true, subtree)), true),
    ),
  ),
  ...Object.entries({
    'a directory name': tagged(4, true, nameDer({ organization: 'Other' })),
    'an empty directory name': tagged(4, true, sequence()),
    'a URI': tagged(6, false, Buffer.from('other.example')),
    'an email address': tagged(1, false, Buffer.from('a@other.example')),
    'an email domain': tagged(1, false, Buffer.from('.other.example')),
    'an address': tagged(7, false, Buffer.from('0a000000ff000000', 'hex')),
    'an address with a mask of gaps': tagged(7, false, Buffer.from('0a000000ff00ff00', 'hex')),
    'an address of three bytes': tagged(7, false, Buffer.from('0a0000', 'hex')),
    'a registeredID': tagged(8, false, Buffer.from([42, 3])),
    'an otherName': tagged(0, true, objectIdentifier('1.2.3.4'), tagged(0, true, utf8String('a'))),
    'a name with a space': tagged(2, false, Buffer.from('a b')),
    'a leading dot': tagged(2, false, Buffer.from('.other.example')),
  }).map(([name, base]) =>
    intermediateScenario(
      `name constraints that exclude ${name}`,
      extra(OID.nameConstraints, sequence(tagged(1, true, sequence(base))), true),
    ),
  ),
  intermediateScenario('name constraints that permit the organization', {
    permitted: { directory: [nameDer({ organization: 'Other' })] },
  }),
  intermediateScenario(
    'name constraints that are not critical',
    extra(OID.nameConstraints, sequence(tagged(0, true, sequence(tagged(2, false, Buffer.from('example')))))),
  ),
  intermediateScenario(
    'name constraints that are not critical and permit another name',
    extra(
      OID.nameConstraints,
      sequence(tagged(0, true, sequence(tagged(2, false, Buffer.from('other.example'))))),
    ),
  ),
];
