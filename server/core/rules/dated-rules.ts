import { type Client, CLIENTS } from '../../../contract/check-words.ts';
import { type DatedRule, dayStart, type RuleOf } from './dated-rule.ts';

const BASELINE_REQUIREMENTS = {
  source: 'https://github.com/cabforum/servercert/blob/main/docs/BR.md',
  reviewedOn: '2026-12-01',
};

/** Clients that enforce the lifetimes of the Baseline Requirements (HasTooLongValidity in Chromium; support.apple.com/102028). */
const LIMITING_LIFETIMES: readonly Client[] = ['chromium', 'apple'];

const APPLE_SINCE_2019 = {
  clients: ['apple'],
  from: '2019-07-01',
  until: null,
  source: 'https://support.apple.com/103769',
  reviewedOn: '2026-11-28',
} as const;

/** Constraints of the root store that is compiled into Chromium 156.0.8078.108. Chrome 153.0.8010.0 and later apply them. */
const CHROME_STORE = {
  kind: 'no_new_certificates',
  issuedAt: 'log_time',
  clients: ['chromium'],
  until: null,
  source:
    'https://chromium.googlesource.com/chromium/src/+/refs/tags/156.0.8078.108/net/data/ssl/chrome_root_store/root_store.textproto',
  reviewedOn: '2026-12-01',
} as const;

/** Values of `CKA_NSS_SERVER_DISTRUST_AFTER` in NSS of 1 May 2026 (version 2.86 of its list of roots). */
const MOZILLA_STORE = {
  kind: 'no_new_certificates',
  issuedAt: 'not_before',
  clients: ['firefox'],
  until: null,
  source:
    'https://github.com/nss-dev/nss/blob/b646e2b0089f3ef78c15ae1cd64a4b88dc9aeb24/lib/ckfw/builtins/certdata.txt',
  reviewedOn: '2026-12-01',
} as const;

const LETS_ENCRYPT = {
  kind: 'ca_lifetime',
  ca: "Let's Encrypt",
  clients: [],
  source: 'https://letsencrypt.org/2025/12/02/from-90-to-45',
  reviewedOn: '2026-11-28',
} as const;

/** All dates of rules about certificates. Judging, alerts and pages read them from here. */
export const DATED_RULES: readonly DatedRule[] = [
  {
    id: 'lifetime_825',
    kind: 'max_lifetime',
    maxDays: 825,
    clients: LIMITING_LIFETIMES,
    from: '2018-03-01',
    until: '2020-09-01',
    source: 'https://cabforum.org/2017/03/17/ballot-193-825-day-certificate-lifetimes/',
    reviewedOn: '2026-11-28',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'lifetime_398',
    kind: 'max_lifetime',
    maxDays: 398,
    clients: LIMITING_LIFETIMES,
    from: '2020-09-01',
    until: '2026-03-15',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'lifetime_200',
    kind: 'max_lifetime',
    maxDays: 200,
    clients: LIMITING_LIFETIMES,
    from: '2026-03-15',
    until: '2027-03-15',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'lifetime_100',
    kind: 'max_lifetime',
    maxDays: 100,
    clients: LIMITING_LIFETIMES,
    from: '2027-03-15',
    until: '2029-03-15',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'lifetime_47',
    kind: 'max_lifetime',
    maxDays: 47,
    clients: LIMITING_LIFETIMES,
    from: '2029-03-15',
    until: null,
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'validation_reuse_200',
    kind: 'validation_reuse',
    maxDays: 200,
    clients: [],
    from: '2026-03-15',
    until: '2027-03-15',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'validation_reuse_100',
    kind: 'validation_reuse',
    maxDays: 100,
    clients: [],
    from: '2027-03-15',
    until: '2029-03-15',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'validation_reuse_10',
    kind: 'validation_reuse',
    maxDays: 10,
    clients: [],
    from: '2029-03-15',
    until: null,
  },
  { ...LETS_ENCRYPT, id: 'lets_encrypt_64', maxDays: 64, from: '2027-02-10', until: '2028-02-16' },
  { ...LETS_ENCRYPT, id: 'lets_encrypt_45', maxDays: 45, from: '2028-02-16', until: null },
  {
    id: 'caa_parameters',
    kind: 'caa_parameters',
    clients: [],
    from: '2027-03-15',
    until: null,
    source: 'https://github.com/cabforum/servercert/releases/tag/BRs%2Fv2.2.8',
    reviewedOn: '2026-12-01',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'dnssec_validation',
    kind: 'dnssec_validation',
    clients: [],
    from: '2026-03-15',
    until: null,
  },
  {
    id: 'server_auth_only',
    kind: 'server_auth_only',
    clients: ['chromium'],
    from: '2027-03-15',
    until: null,
    source: 'https://g.co/chrome/root-policy',
    reviewedOn: '2026-11-28',
  },
  {
    ...BASELINE_REQUIREMENTS,
    id: 'no_sha1',
    kind: 'no_sha1',
    clients: [],
    from: '2026-09-15',
    until: null,
  },
  {
    id: 'lets_encrypt_roots_2025',
    kind: 'new_roots',
    clients: CLIENTS,
    from: '2025-09-03',
    until: null,
    source: 'https://letsencrypt.org/certificates/',
    reviewedOn: '2026-12-01',
    roots: {
      b0292ae545978e0fbb98abbd94c861605e5b18bb32ed523f50d5b7b5c71d47bc: 'Root YE',
      '7e4e8838a8add6295de7ae3b047d3aba3488ab95db0a0aa56d897a00d8618bcf': 'Root YR',
    },
  },
  { ...APPLE_SINCE_2019, id: 'private_lifetime_825', kind: 'private_max_lifetime', maxDays: 825 },
  { ...APPLE_SINCE_2019, id: 'private_purpose', kind: 'private_purpose' },
  {
    id: 'firefox_roots_2024_12_01',
    ...MOZILLA_STORE,
    from: '2024-12-01',
    roots: {
      '1ea3c5e43ed66c2da2983a42a4a79b1e906786ce9f1b58621419a00463a87d38': 'Entrust.net (2048)',
      '6dbfae00d37b9cd73f8fb47de65917af00e0dddf42dbceac20c17c0275ee2095': 'Entrust Root',
      fea2b7d645fba73d753c1ec9a7870c40e1f7b0c561e927b985bf711866e36f22: 'Entrust Root EC1',
      '76ee8590374c715437bbca6bba6028eadde2dc6dbbb8c3f610e851f11d1ab7f5': 'Entrust Root G2',
    },
  },
  {
    ...MOZILLA_STORE,
    id: 'firefox_roots_2025_04_16',
    from: '2025-04-16',
    roots: { '62554c17005543b237215f04268dcd2fd1c470240ad3c8660e25ae2c59630f55': 'ePKI Root' },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_blog_2025_08_01',
    from: '2025-08-01',
    // No longer in the store of Chromium 156.
    source:
      'https://security.googleblog.com/2025/05/sustaining-digital-certificate-security-chrome-root-store-changes.html',
    roots: {
      '62554c17005543b237215f04268dcd2fd1c470240ad3c8660e25ae2c59630f55': 'ePKI Root',
      f48badd7df6a06690d0ae31373b12855f8dedb14517f362a313101cc98cc6b35: 'NetLock Arany',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2025_08_01',
    from: '2025-08-01',
    roots: {
      '79caaf5347e6e4a94c8e78a98496fc74020f809ede13f220fab6104c8ded329f': 'HiPKI Root CA - G1',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2025_11_01',
    from: '2025-11-01',
    roots: {
      '5955ae291574a931342cf7450e16652ede1e0fb3097e1571dfac11c915601564': 'Buypass Class 2 Root CA',
      b03d87b056d08cc9d4e675ef19ca83ab53532168a8258598be72e6d85c7dd7c1: 'Buypass Class 3 Root CA',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2026_04_15',
    from: '2026-04-15',
    roots: {
      '952c2039c0243eb515dd73d83fc3643184874feb0862a9837731ed9b4742e17a': 'Izenpe.com',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2026_05_29',
    from: '2026-05-29',
    roots: {
      eca0f181402ce7a8652b31b4d036df247e3a30b7f41a50d91ec4f90b006b43a1: 'D-TRUST Root Class 3 CA 2 2009',
      ff342fb6c4c8bd30a4706f73489539f19e6e48cc05f46254654f6610dbc540e9: 'D-TRUST Root Class 3 CA 2 EV 2009',
      '6106c0e3a0a299831875127bd7d3cc1859803d511cac11eb6e0840dd166fc10e': 'T-TeleSec GlobalRoot Class 2',
      '8d767764b3cbda08929d072a22a561f4dcdd1bc57d3cbddc948c47d2b47f9122': 'T-TeleSec GlobalRoot Class 3',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2026_06_15',
    from: '2026-06-15',
    roots: {
      '8e8046ec4cac015a507ce0d2d0154a4b40e8e42b3165cfa546571435112d17e5': 'Certigna Root CA',
      '348767cdad3bdd28b2b8dd5351aec30c68cec5cd69d276df3827dbc4f5806464':
        'SSL.com EV Root Certification Authority ECC',
      '7cd67c248f69d83fc2f9bb01dcb1f7ad67a363d046043796d0984c3a231f6bb0':
        'SSL.com EV Root Certification Authority RSA R2',
      a320f4d534d7be97c1ae8dd0499735bc895c323add2d388bfccf662c23d7f99a:
        'SSL.com Root Certification Authority ECC',
      d1c45377ebdcd618cd1651dc2e02c21d751e5aa9fcd1b3431ff6ecf6a31348fa:
        'SSL.com Root Certification Authority RSA',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2026_09_15',
    from: '2026-09-15',
    roots: {
      f1c6ba670cfc88e4df52973cae420f0a089dd474144fe5806c420064e1591229: 'DigiCert Assured ID Root G2',
      '15eed339594b304f8cf847b477371d8d6fec61f4db2b01af589e7c53b35cae4c': 'DigiCert Assured ID Root G3',
      '59df317bfa9f4f0ab7ca514d7772296aa2c765b87664d08b96e57399e364729c': 'DigiCert Trusted Root G4',
      c444b5b66ce5d71e1b5e40f27385c95cbfd24a05b56f70cac0992f0f50c3379c: 'TWCA Global Root CA',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2026_10_01',
    from: '2026-10-01',
    roots: {
      '3b0d73b4be4a854adc3e51d7ef9fa48aefbb2cdd824d67bdc7d7d09a2abc2d43':
        'Autoridad de Certificacion Firmaprofesional CIF A62634068',
      e7ca91bbfbb18788057b3a8070446ea5291160194102f7dcc3b9848c63cb9cd5: 'COMODO ECC Certification Authority',
      '82b5f84daf47a59c7ab521e4982aefa40a53406a3aec26039efa6b2e0e7244c1':
        'COMODO RSA Certification Authority',
      aa2630a7b617b04d0a294bab7a8caaa5016e6dbe604837a83a85719fab667eb5: 'Certum Trusted Network CA',
      '7e0ead76bb6819dc2f54511a84354f6e8b307b9dd82058ea6c004f01d9dda5df': 'GlobalSign ECC Root CA - R5',
      '706bb1017c855c59169bad5c1781cf597f12d2cad2f63d1a4aa37493800ffb80': 'GlobalSign Root CA - R3',
      '682747f8ba621b87cdd3bc295ed5cabce722a1c0c0363d1d68b38928d2787f1e': 'GlobalSign Root CA - R6',
      '616167201433aea6c8e5e3070afcaf6749188f814bd1abb179ae8dad3abf26ec': 'Microsec e-Szigno Root CA 2009',
      '149f2ee63b9a5e5803240a770dc991fc2e3445e62831c245a49bc4f1f738ff9c': 'OISTE WISeKey Global Root GB CA',
      fd371bea9755ff60c8828c849b8e5215de532d61b009855fa0ad630d90eef82e: 'OISTE WISeKey Global Root GC CA',
      '2021917e98263945c859c43f1d73cb4139053c414fa03ca3bc7ee88614298f3b':
        'USERTrust ECC Certification Authority',
      c784333d20bcd742b9fdc3236f4e509b8937070e73067e254dd3bf9c45bf4dde:
        'USERTrust RSA Certification Authority',
      '42431627ea76cc78697f915e3455b1b2ec82ff2f6380ee6423ef3c0840b7e631': 'e-Szigno Root CA 2017',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2027_01_15',
    from: '2027-01-15',
    roots: {
      '9a52ff6a3cb6e353a08567e0dc9c395b300d60a22292ab8c18c1656b2983ae90': 'ANF Secure Server Root CA',
      a246b822f96cfecc155156e5476957845492acf32187ec8a2ef12d89618d711d: 'vTrus ECC Root CA',
      e06647e52610160c3e83c42d22e39aa8750c584d6c24afaed54a61164742000a: 'vTrus Root CA',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2027_06_15',
    from: '2027-06-15',
    roots: {
      ebc978ae0dd9e5822d6b19652596f620c93d7caefa952191cb050a632ca9005f: 'SwissSign RSA TLS Root CA 2022 - 1',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2027_08_31',
    from: '2027-08-31',
    roots: {
      '9d37e4a989eab3882d116052fc8b58446702cb593726e4604c3795940c7103e2': 'D-TRUST EV Root CA 1 2020',
      e753cdd9f13413c7ca9cda82962f8c0ce5ed13d1657312954af5267eb2cb7c79: 'D-TRUST EV Root CA 2 2023',
      eab0de5a46419010b01b2d55553fc111aa82b43d9395edfeaeaa8c76e6ad1995: 'Telekom Security TLS ECC Root 2020',
      '0e05e9bb23869eb689dc56839dcec475a3ae75fa6b50bc5a4978360cbe673323':
        'Telekom Security TLS RSA Root 2023',
    },
  },
  {
    ...CHROME_STORE,
    id: 'chrome_roots_2027_09_15',
    from: '2027-09-15',
    roots: {
      '7f4296fc5b6a4e3b35d3c369623e364ab1af381d8fa7121533c9d6c633ea2461': 'Amazon Root CA 2',
      '36abc32656acfc645c61b71613c4bf21c787f5cabbee48348d58597803d7abc9': 'Amazon Root CA 3',
      '603f76f28c9feba83ec751edb66c8d7523ea40fe49fe74427629f50dabbcf55a': 'D-TRUST BR Root CA 1 2020',
      ac76f63a46e761b5acc3259705c920cb7f0563d248d8d180f934af68099a15f9: 'D-TRUST BR Root CA 2 2023',
      '8bb593a93be1d0e8a822bb887c547890c3e706aad2dab76254f97fb36b82fc26': 'DigiCert Global Root G2',
      b94c198300cec5c057ad0727b70bbe91816992256439a7b32f4598119dda9c97: 'DigiCert Global Root G3',
      '08b3a6335fce5ef48f8f0e543986c07fd18a3b1226129f61864bbd5bdd1f1cc9': 'GlobalSign ECC Root CA - R4',
      '4a49edbd2f8f8230bd5592b313573fe1c172a45fa98011cc1eddbb36ade3fce5': 'QuoVadis Root CA 2 G3',
      f3438e23b3ce532522facf307923f58fd18608e9ba7addc30e952b43c49616c3: 'QuoVadis Root CA 3 G3',
    },
  },
];

const BY_ID: ReadonlyMap<string, DatedRule> = new Map(DATED_RULES.map((rule) => [rule.id, rule]));

/** Returns the rule with an id; undefined if this version has none. */
export const ruleById = (id: string): DatedRule | undefined => BY_ID.get(id);

/** Returns the rules of a kind, with their first instants (ms UTC), earliest first. */
export function rulesOf<Kind extends DatedRule['kind']>(
  kind: Kind,
  rules: readonly DatedRule[] = DATED_RULES,
): (RuleOf<Kind> & { start: number })[] {
  return rules
    .filter((rule): rule is RuleOf<Kind> => rule.kind === kind)
    .map((rule) => ({ ...rule, start: dayStart(rule.from) }))
    .toSorted((left, right) => left.start - right.start);
}
