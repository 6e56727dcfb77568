import { describe, expect, it } from 'vitest';
import { CA_IDENTITIES, caNamed, caOf } from './ca-identifiers.ts';
import { readIssueValue } from './issue-value.ts';

const nameOf = (issuerOrganization: string, issuerName = '') =>
  caOf({ issuerOrganization, issuerName })?.name;

describe('the list of CAs', () => {
  it.each([
    ["Let's Encrypt", "Let's Encrypt"],
    ['Google Trust Services LLC', 'Google Trust Services'],
    ['DigiCert, Inc.', 'DigiCert'],
    ['QuoVadis Trustlink B.V.', 'DigiCert'],
    ['COMODO CA Limited', 'Sectigo'],
    ['The USERTRUST Network', 'Sectigo'],
    ['ZeroSSL GmbH', 'ZeroSSL'],
    ['Amazon', 'Amazon'],
    ['GlobalSign nv-sa', 'GlobalSign'],
    ['Starfield Technologies, Inc.', 'GoDaddy'],
    ['Entrust, Inc.', 'Entrust'],
    ['SSL Corporation', 'SSL.com'],
    ['D-Trust GmbH', 'D-Trust'],
    ['T-Systems International GmbH', 'Telekom Security'],
    ['Asseco Data Systems S.A.', 'Certum'],
    ['Hellenic Academic and Research Institutions CA', 'HARICA'],
    ['SECOM Trust Systems CO.,LTD.', 'SECOM'],
    ['TAIWAN-CA', 'TWCA'],
    ['NETLOCK Kft.', 'NETLOCK'],
    ['Buypass AS-983163327', 'Buypass'],
    ['Apple Inc.', 'Apple'],
  ])('knows the issuer %s', (organization, name) => expect(nameOf(organization)).toBe(name));

  it('uses the common name only if there is no organisation, and returns no CA for unknown issuers', () => {
    expect(nameOf(' ', 'GlobalSign Atlas R3 DV TLS CA 2026 Q4')).toBe('GlobalSign');
    expect(nameOf('Fjord Authority', 'DigiCert')).toBeUndefined();
    expect(nameOf('', '')).toBeUndefined();
  });

  it('has names that CAA records can have, and one CA for each organisation', () => {
    for (const { name, domains, unconfirmed = [], organizations } of CA_IDENTITIES) {
      for (const domain of [...domains, ...unconfirmed]) {
        expect(readIssueValue(domain)?.issuer).toBe(domain);
        expect(domain).toBe(domain.toLowerCase());
      }
      expect(new Set([...domains, ...unconfirmed]).size).toBe(domains.length + unconfirmed.length);
      for (const organization of organizations)
        expect([organization, nameOf(organization)]).toEqual([organization, name]);
    }
  });

  it('returns the CA whose usual domain name is in a CAA record, if several CAs accept that name', () => {
    expect(
      ['Sectigo.com', 'entrust.net', 'thawte.com', 'ca.example'].map((domain) => caNamed(domain)?.name),
    ).toEqual(['Sectigo', 'Entrust', 'DigiCert', undefined]);
  });
});
