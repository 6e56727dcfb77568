const ID = '0b8f2f0e-6d0a-4c53-9a52-4f6a6b1d9c11';

/** Example request bodies by name of the call, for the OpenAPI document and the page made from it. */
export const EXAMPLE_BODIES: Readonly<Record<string, unknown>> = {
  addDomain: { host: 'example.com' },
  describeDomain: { notes: 'Renewed by hand.', tags: ['prod', 'eu'] },
  resumeDomain: {},
  actOnDomains: { action: 'tag', ids: [ID], add: ['prod'], remove: [] },
  previewImport: { entries: [{ host: 'www.example.com', tags: ['prod'] }, { host: 'example.com' }] },
  importDomains: { entries: [{ host: 'www.example.com', tags: ['prod'] }, { host: 'example.com' }] },
  addChannel: {
    name: 'Our hook',
    config: { kind: 'webhook', url: 'https://hooks.example.com/certificates' },
  },
  changeChannel: { enabled: true },
  changeAccountAlerts: { digest: true },
  previewAlerts: { domain_id: ID, steps: ['21d', '10%'] },
  changeDomainAlerts: { muted: ['uptime'] },
  addMaintenance: {
    domain_id: null,
    starts_at: '2027-01-03T02:00:00Z',
    ends_at: '2027-01-03T04:00:00Z',
    repeats: 'weekly',
  },
  acknowledgeIncident: { acknowledged: true },
  snoozeIncident: { until: '2027-01-03T08:00:00Z' },
  addAuthorities: { pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n' },
  sendFeedback: { title: 'feedback', message: 'All is well.' },
  saveStatusPage: { title: 'Our services', shows: 'all' },
  previewStatusPage: {
    title: 'Our services',
    shows: 'all',
    tags: [],
    domains: [],
    show_certificates: true,
    show_uptime: true,
    show_incidents: true,
  },
  makeToken: { name: 'Nightly job', scopes: ['read'], expires_in_days: 90 },
};
