import { describe, expect, it } from 'vitest';
import {
  objectIdentifier,
  sequence,
  set,
  tagged,
  utf8String,
} from '../../../tests/kit/certificates/der-writer.ts';
import { type CertificateOptions, mintAuthority, nameDer } from '../../../tests/kit/certificates/mint.ts';
import { type Certificate, parseCertificate } from '../certificate.ts';
import { satisfiesNameConstraints, parseNameConstraints } from './name-constraints.ts';
import { WorkBudget } from '../work-budget.ts';

const root = mintAuthority();
const TAGS = { email: 1, dns: 2, uri: 6 } as const;
type Form = keyof typeof TAGS;
const generalName = (form: Form, text: string) => tagged(TAGS[form], false, Buffer.from(text));

function withNames(...names: Uint8Array[]): Certificate {
  const san = { oid: '2.5.29.17', value: sequence(...names) };
  return parseCertificate(root.issue({ key: root.key, commonName: 'x', extraExtensions: [san] }).der);
}

function constraints(permitted: Uint8Array[], excluded: Uint8Array[] = []) {
  const list = (number: number, bases: Uint8Array[]) =>
    bases.length === 0 ? [] : [tagged(number, true, ...bases.map((base) => sequence(base)))];
  return parseNameConstraints(sequence(...list(0, permitted), ...list(1, excluded)));
}

const budget = () => new WorkBudget();
const isPermitted = (form: Form, base: string, name: string) =>
  satisfiesNameConstraints(
    withNames(generalName(form, name)),
    constraints([generalName(form, base)]),
    budget(),
  );
const isExcluded = (form: Form, base: string, name: string) =>
  !satisfiesNameConstraints(
    withNames(generalName(form, name)),
    constraints([], [generalName(form, base)]),
    budget(),
  );

describe('a dNSName constraint', () => {
  it.each([
    ['example.com', 'example.com'],
    ['example.com', 'a.b.EXAMPLE.com'],
    ['example.com', '*.example.com'],
    ['.example.com', 'a.example.com'],
    ['', 'anything.example'],
  ])('a dNSName constraint on %j covers %s', (base, name) => {
    expect(isPermitted('dns', base, name)).toBe(true);
    expect(isExcluded('dns', base, name)).toBe(true);
  });

  it.each([
    ['example.com', 'badexample.com'],
    ['example.com', 'example.com.evil.example'],
    ['a.example.com', 'example.com'],
    ['.example.com', 'example.com'],
  ])('a dNSName constraint on %j does not cover %s', (base, name) => {
    expect(isPermitted('dns', base, name)).toBe(false);
    expect(isExcluded('dns', base, name)).toBe(false);
  });

  it('excludes a wildcard that could match an excluded name, and permits a wildcard only if all its matches are permitted', () => {
    expect(isExcluded('dns', 'foo.example.com', '*.example.com')).toBe(true);
    expect(isPermitted('dns', 'foo.example.com', '*.example.com')).toBe(false);
    expect(isExcluded('dns', 'a.foo.example.com', '*.example.com')).toBe(false);
  });

  it('rejects a malformed name, whether the constraint permits or excludes', () => {
    for (const name of ['', '.example.com', 'a..example.com', 'a b.example.com', '*.*.example.com']) {
      expect(isPermitted('dns', 'example.com', name)).toBe(false);
      expect(isExcluded('dns', 'other.example', name)).toBe(true);
    }
  });
});

describe('an rfc822Name constraint', () => {
  it.each([
    ['a@example.com', 'a@EXAMPLE.com', true],
    ['a@example.com', 'A@example.com', false],
    ['a@example.com', 'b@example.com', false],
    ['*@example.com', 'a@example.com', false],
    ['example.com', 'a@example.com', true],
    ['example.com', 'a@sub.example.com', false],
    ['.example.com', 'a@sub.example.com', true],
    ['.example.com', 'a@example.com', false],
    ['example.com', '"a@b"@example.com', true],
  ])('an rfc822Name constraint on %s covers the mailbox %s: %s', (base, name, expected) => {
    expect(isPermitted('email', base, name)).toBe(expected);
    expect(isExcluded('email', base, name)).toBe(expected);
  });

  it('rejects a malformed mailbox, whether the constraint permits or excludes', () => {
    for (const name of ['a@b@example.com', 'example.com', '@example.com', 'a@']) {
      expect(isPermitted('email', 'example.com', name)).toBe(false);
      expect(isExcluded('email', 'other.example', name)).toBe(true);
    }
  });

  it('applies to the email address in the subject if there is no alternative name', () => {
    const subjectDer = sequence(
      set(sequence(objectIdentifier('1.2.840.113549.1.9.1'), utf8String('a@example.com'))),
    );
    const certificate = parseCertificate(root.issue({ key: root.key, subjectDer }).der);
    const only = (base: string) => constraints([generalName('email', base)]);
    expect(satisfiesNameConstraints(certificate, only('example.com'), budget())).toBe(true);
    expect(satisfiesNameConstraints(certificate, only('example.org'), budget())).toBe(false);
  });
});

describe('a uniformResourceIdentifier constraint', () => {
  it.each([
    ['example.com', 'https://example.com/a', true],
    ['example.com', 'https://user@example.com:8443?x', true],
    ['example.com', 'https://a.example.com', false],
    ['.example.com', 'https://a.example.com', true],
    ['example.com', 'https://example.com@evil.example/', false],
    ['example.com', 'https://evil.example#example.com', false],
  ])('a uniformResourceIdentifier constraint on %s covers the URI %s: %s', (base, name, expected) =>
    expect(isPermitted('uri', base, name)).toBe(expected),
  );

  it('rejects a URI without a host name', () => {
    for (const name of ['urn:uuid:1', 'https://192.0.2.1/', 'https://[::1]/', 'mailto:a@example.com']) {
      expect(isPermitted('uri', 'example.com', name)).toBe(false);
      expect(isExcluded('uri', 'other.example', name)).toBe(true);
    }
  });
});

describe('a name constraint', () => {
  const within = (leaf: CertificateOptions, authority: CertificateOptions) => {
    const { nameConstraints } = parseCertificate(mintAuthority({ key: root.key, ...authority }).der);
    const certificate = parseCertificate(root.issue({ key: root.key, ...leaf }).der);
    return nameConstraints !== null && satisfiesNameConstraints(certificate, nameConstraints, budget());
  };

  it('a name constraint on IP addresses covers its subnet and no address of the other family', () => {
    const authority = { permitted: { ip: ['192.0.2.0/24'] } };
    expect(within({ ipAddresses: ['192.0.2.7'] }, authority)).toBe(true);
    expect(within({ ipAddresses: ['192.0.3.7'] }, authority)).toBe(false);
    expect(within({ ipAddresses: ['2001:db8::1'] }, authority)).toBe(false);
    expect(within({ dnsNames: ['a.example'] }, authority)).toBe(true);
    expect(within({ ipAddresses: ['::1'] }, { excluded: { ip: ['::1/128'] } })).toBe(false);
  });

  it('a name constraint on directory names covers names that start with its base', () => {
    const authority = { permitted: { directory: [nameDer({ country: 'DE', organization: 'Example' })] } };
    expect(within({ country: 'DE', organization: 'EXAMPLE', commonName: 'a' }, authority)).toBe(true);
    expect(within({ country: 'FR', organization: 'Example', commonName: 'a' }, authority)).toBe(false);
    expect(within({ organization: 'Example', commonName: 'a' }, authority)).toBe(false);
    expect(within({ dnsNames: ['a.example'], commonName: null }, authority)).toBe(true);
  });

  it('a name constraint on an unknown form fails for every name of that form', () => {
    const other = tagged(0, true, objectIdentifier('1.2.3'), tagged(0, true, utf8String('a')));
    expect(satisfiesNameConstraints(withNames(other), constraints([], [other]), budget())).toBe(false);
    expect(satisfiesNameConstraints(withNames(other), constraints([generalName('uri', 'a')]), budget())).toBe(
      true,
    );
  });

  it('takes work by the number of names, whatever the number of constraints', () => {
    const names = Array.from({ length: 2_000 }, (_, index) => generalName('dns', `a${index}.example`));
    const bases = Array.from({ length: 2_000 }, (_, index) => generalName('dns', `b${index}.example`));
    const spent = (count: number) => {
      const work = new WorkBudget();
      expect(
        satisfiesNameConstraints(withNames(...names), constraints([], bases.slice(0, count)), work),
      ).toBe(true);
      return work.spent;
    };
    expect(spent(2_000)).toBe(spent(1));
  });

  it('fails if the comparison takes too much work', () => {
    const names = Array.from({ length: 200 }, (_, index) => generalName('dns', `a${index}.example`));
    const excluded = constraints([], [generalName('dns', 'b.example')]);
    expect(satisfiesNameConstraints(withNames(...names), excluded, new WorkBudget(1_000))).toBe(true);
    expect(satisfiesNameConstraints(withNames(...names), excluded, new WorkBudget(700))).toBe(false);
  });
});
