import * as fc from 'fast-check';
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
import { satisfiesNameConstraints } from './name-constraints.ts';
import { parseNameConstraints } from './general-name.ts';
import { parseSubjectAltNames } from '../extensions.ts';
import { PkiError } from '../pki-error.ts';
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

  const host = generalName('dns', 'a.example');
  const network = (octets: string) => tagged(7, false, Buffer.from(octets, 'hex'));
  const permitting = (...subtrees: Uint8Array[]) => sequence(tagged(0, true, ...subtrees));
  it.each([
    ['without lists', sequence()],
    ['with an empty list', permitting()],
    ['with a minimum of 1', permitting(sequence(host, tagged(0, false, Buffer.of(1))))],
    ['with a maximum', permitting(sequence(host, tagged(1, false, Buffer.of(0))))],
    ['with a mask that has a gap', permitting(sequence(network('c0000200ff00ff00')))],
    ['with an address without a mask', permitting(sequence(network('c0000200')))],
    ['with a wildcard', permitting(sequence(generalName('dns', '*.example')))],
    ['with an empty label', permitting(sequence(generalName('dns', 'a..example')))],
  ])('a name constraint %s is refused', (_, value) => {
    expect(() => parseNameConstraints(value)).toThrow(PkiError);
  });

  it('is charged by the number of names, whatever the number of constraints', () => {
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

describe('a comparison of random names with random constraints', () => {
  type Name = [form: Form | 'ip' | 'directory', text: string];

  const label = fc.constantFrom('a', 'b', 'ab');
  const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.'));
  const suffix = fc.oneof(
    host,
    host.map((text) => `.${text}`),
  );
  const mailbox = fc.tuple(fc.constantFrom('a', 'A', '"a@b"'), host).map(([local, at]) => `${local}@${at}`);
  const address = fc.oneof(
    fc.constantFrom('00', '01', '80', 'ff').map((octet) => `000000${octet}`),
    fc.constantFrom('00', '01', '80', 'ff').map((octet) => `${'0'.repeat(30)}${octet}`),
  );
  const mask = fc.constantFrom(0, 1, 24, 25, 31, 32, 64, 127, 128);
  const directory = fc.array(label, { maxLength: 3 }).map((labels) => labels.join('/'));
  const ofForm = (form: Name[0], text: fc.Arbitrary<string>) => text.map((one): Name => [form, one]);

  const anyName = fc.oneof(
    ofForm(
      'dns',
      fc.oneof(
        host,
        host.map((text) => `*.${text}`),
        fc.constantFrom('a..b', '-', 'B.A'),
      ),
    ),
    ofForm('email', fc.oneof(mailbox, fc.constantFrom('a', 'a@', 'b@A.B'))),
    ofForm(
      'uri',
      fc.oneof(
        host.map((text) => `x://${text}/a.b`),
        fc.constantFrom('x:a', 'x://1.2.3.4/', 'x://A.B'),
      ),
    ),
    ofForm('ip', address),
    ofForm('directory', directory),
  );
  const anyBase = fc.oneof(
    ofForm('dns', fc.oneof(suffix, fc.constant(''))),
    ofForm('email', fc.oneof(suffix, mailbox, fc.constantFrom('a b@a', '.'))),
    ofForm('uri', fc.oneof(suffix, fc.constant('..a'))),
    ofForm(
      'ip',
      fc.tuple(address, mask).map(([net, size]) => `${net}/${Math.min(size, net.length * 4)}`),
    ),
    ofForm('directory', directory),
  );

  const organisation = (labels: string) =>
    sequence(
      ...labels
        .split('/')
        .filter((one) => one !== '')
        .map((one) => set(sequence(objectIdentifier('2.5.4.11'), utf8String(one)))),
    );
  const encode = ([form, text]: Name): Uint8Array => {
    if (form === 'directory') return tagged(4, true, organisation(text));
    if (form !== 'ip') return generalName(form, text);
    const [net = '', size] = text.split('/');
    const bits = net.length * 4;
    const ones = '1'.repeat(Number(size)).padEnd(bits, '0');
    const octets = size === undefined ? '' : BigInt(`0b${ones}`).toString(16).padStart(net.length, '0');
    return tagged(7, false, Buffer.from(net + octets, 'hex'));
  };

  /** Returns whether a base covers a name, by the words of RFC 5280 §4.2.1.10; null if either cannot be compared. */
  function covers([form, base]: Name, [, name]: Name): boolean | null {
    const isBelow = (text: string, above: string) =>
      text.endsWith(above.startsWith('.') ? above : `.${above}`);
    const isHost = (text: string) => /^(?:[a-z0-9_-]+\.)*[a-z0-9_-]+$/.test(text);
    switch (form) {
      case 'dns': {
        const text = name.toLowerCase();
        if (!isHost(text.replace(/^\*\./, ''))) return null;
        return base === '' || text === base || isBelow(text, base);
      }
      case 'email': {
        const [, local, at] = /^(".*"|[^@]+)@(.+)$/.exec(name) ?? [];
        if (local === undefined || at === undefined) return null;
        if (base === 'a b@a') return null;
        if (base.includes('@')) return base === `${local}@${at.toLowerCase()}`;
        return base.startsWith('.') ? isBelow(at.toLowerCase(), base) : at.toLowerCase() === base;
      }
      case 'uri': {
        const text = /^x:\/\/([^/]+)/.exec(name.toLowerCase())?.[1] ?? '';
        if (!isHost(text) || /\d$/.test(text)) return null;
        return base.startsWith('.') ? isBelow(text, base) : text === base;
      }
      case 'ip': {
        const [net = '', size] = base.split('/');
        const bits = (hex: string) =>
          BigInt(`0x1${hex}`)
            .toString(2)
            .slice(0, 1 + Number(size));
        return net.length === name.length && bits(net) === bits(name);
      }
      default: {
        const [above, below] = [base, name].map((text) => text.split('/').filter((one) => one !== ''));
        return above?.every((one, index) => below?.[index] === one) ?? null;
      }
    }
  }

  function isAllowed(names: readonly Name[], permitted: readonly Name[], excluded: readonly Name[]): boolean {
    return names.every((name) => {
      const [allowed, forbidden] = [permitted, excluded].map((bases) =>
        bases.filter(([form]) => form === name[0]),
      );
      const isForbidden = forbidden?.some((base) => {
        // A wildcard stands for any label, so also for that of the base.
        const [isDns, text] = [name[0] === 'dns' && name[1].startsWith('*.'), name[1].slice(2)];
        const [first = '', ...rest] = base[1].split('.');
        if (isDns && first !== '' && rest.length > 0 && rest.join('.') === text) return true;
        return covers(base, name) ?? true;
      });
      const isCovered = allowed?.length === 0 || allowed?.some((base) => covers(base, name) === true);
      return isForbidden !== true && isCovered === true;
    });
  }

  it('has the same result as comparing each name with each constraint', () => {
    const lists = (one: fc.Arbitrary<Name>) => fc.array(one, { maxLength: 4 });
    const plain = parseCertificate(root.issue({ commonName: null }).der);
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(anyName, { minLength: 1, maxLength: 3 }),
        lists(anyBase),
        lists(anyBase),
        (names, permitted, excluded) => {
          fc.pre(permitted.length + excluded.length > 0);
          const tree = constraints(permitted.map(encode), excluded.map(encode));
          const subjectAltNames = parseSubjectAltNames(sequence(...names.map(encode)));
          const expected = isAllowed(names, permitted, excluded);
          refused += Number(!expected);
          expect(satisfiesNameConstraints({ ...plain, subjectAltNames }, tree, budget())).toBe(expected);
        },
      ),
      { seed: 1, numRuns: 3_000 },
    );
    expect(refused).toBeGreaterThan(500);
    expect(refused).toBeLessThan(2_500);
  });
});
