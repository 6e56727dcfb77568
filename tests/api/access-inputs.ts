import type { CALLS } from '../../contract/calls/calls.ts';
import { mintAuthority } from '../kit/certificates/mint.ts';
import type { Input } from '../kit/product/people.ts';
import { type Caller, TEST_PRICE, type Things } from './access-world.ts';

/** A caller, and the ids that its requests name. These belong to the caller itself or to the owner. */
export interface Asking {
  caller: Caller;
  things: Things;
}

const { certificatePem } = mintAuthority();
const nobody = () => `nobody-${crypto.randomUUID().slice(0, 8)}@example.test`;
const addressOf = ({ caller }: Asking) => caller.person?.email ?? nobody();
const passkey = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: {}, clientExtensionResults: {} };

function nextHour() {
  const [from, to] = [Date.now() + 3_600_000, Date.now() + 7_200_000];
  return { starts_at: new Date(from).toISOString(), ends_at: new Date(to).toISOString() };
}

/** Valid input for each call, which succeeds for a caller who is allowed to make it. */
export const INPUTS: Record<keyof typeof CALLS, (asking: Asking) => Input> = {
  signUp: () => ({ body: { name: 'New', email: nobody(), password: 'correct horse' } }),
  signIn: (asking) => ({
    body: { email: addressOf(asking), password: asking.caller.person?.password ?? 'wrong horse' },
  }),
  signOut: () => ({}),
  identityToken: () => ({}),
  identityKeys: () => ({}),
  identityMethods: () => ({}),
  resumeIdentity: () => ({}),
  sendVerification: () => ({}),
  verifyEmail: () => ({ body: { token: 'A'.repeat(43) } }),
  requestPasswordReset: (asking) => ({ body: { email: addressOf(asking) } }),
  resetPassword: () => ({ body: { token: 'A'.repeat(43), password: 'a new password' } }),
  verifyTotp: () => ({ body: { code: '123456' } }),
  verifyBackupCode: () => ({ body: { code: 'AAAAA-AAAAA' } }),
  enableTotp: ({ caller }) => ({ body: { password: caller.person?.password ?? 'wrong horse' } }),
  disableTotp: ({ caller }) => ({ body: { password: caller.person?.password ?? 'wrong horse' } }),
  passkeySignInOptions: () => ({}),
  passkeySignIn: () => ({ body: { response: passkey } }),
  newPasskeyOptions: () => ({}),
  addPasskey: () => ({ body: { response: passkey, name: 'A key' } }),
  removePasskey: () => ({ body: { id: 'AAAA' } }),
  oidcStart: () => ({ body: { provider: 'oidc' } }),
  oidcCallback: () => ({ params: { id: 'oidc' }, query: { code: 'A', state: 'B' } }),

  openSession: ({ caller }) => ({ body: { token: caller.idToken } }),
  refreshSession: () => ({}),
  logOut: () => ({}),
  currentUser: () => ({}),
  setTimeZone: () => ({ body: { time_zone: 'Europe/Oslo' } }),
  updateUser: () => ({ body: { full_name: 'Another Name' } }),
  deleteUser: () => ({}),
  subscription: () => ({}),
  premium: () => ({}),
  startTrial: () => ({}),
  standing: () => ({}),
  listSessions: () => ({}),
  endOneSession: ({ things }) => ({ params: { id: things.otherSession } }),
  endAllSessions: () => ({}),
  exportData: () => ({}),
  listTokens: () => ({}),
  makeToken: () => ({ body: { name: 'CI', scopes: ['read'], expires_in_days: 90 } }),
  revokeToken: ({ things }) => ({ params: { id: things.token } }),
  listAuthorities: () => ({}),
  addAuthorities: () => ({ body: { pem: certificatePem } }),
  removeAuthority: ({ things }) => ({ params: { id: things.authority } }),
  sendFeedback: () => ({ body: { title: 'feedback', message: 'All is well.' } }),

  listDomains: () => ({}),
  domainSummary: () => ({}),
  domainIds: () => ({}),
  domainGroups: () => ({ query: { by: 'tag' } }),
  exportDomains: () => ({}),
  listCertificates: () => ({}),
  exportCertificates: () => ({}),
  listDeadlines: () => ({}),
  deadlineCertificates: () => ({}),
  exportDeadlines: () => ({}),
  deadlineCalendar: () => ({ params: { rule: 'server_auth_only' } }),
  expectCertificate: ({ things }) => ({ body: { pem: things.certificatePem } }),
  certificateStory: ({ things }) => ({ params: { fingerprint: things.certificate } }),
  actOnDomains: ({ things }) => ({ body: { action: 'check', ids: [things.domain] } }),
  previewImport: () => ({ body: { entries: [{ host: 'new.example.com' }] } }),
  importDomains: () => ({ body: { entries: [{ host: 'imported.example.com' }] } }),
  domain: ({ things }) => ({ params: { id: things.domain } }),
  describeDomain: ({ things }) => ({ params: { id: things.domain }, body: { notes: 'Renewed by hand.' } }),
  domainChain: ({ things }) => ({ params: { id: things.domain } }),
  domainReport: ({ things }) => ({ params: { id: things.domain } }),
  domainUptime: ({ things }) => ({ params: { id: things.domain } }),
  historyDiff: ({ things }) => ({
    params: { id: things.domain },
    query: { from: things.formerCertificate, to: things.certificate },
  }),
  domainFavicon: ({ things }) => ({ params: { id: things.domain } }),
  lookUpHost: () => ({ query: { host: 'new.example.com' } }),
  addDomain: () => ({ body: { host: 'new.example.com' } }),
  removeDomain: ({ things }) => ({ params: { id: things.domain } }),
  domainHistory: ({ things }) => ({ params: { id: things.domain } }),
  setFrequency: ({ things }) => ({ params: { id: things.domain }, query: { check_frequency: '10' } }),
  checkDomain: ({ things }) => ({ params: { id: things.domain } }),
  pauseDomain: ({ things }) => ({ params: { id: things.domain } }),
  resumeDomain: ({ things }) => ({ params: { id: things.pausedDomain }, body: {} }),

  listChannels: () => ({}),
  addChannel: () => ({ body: { config: { kind: 'webhook', url: 'https://new.example.com/' } } }),
  changeChannel: ({ things }) => ({ params: { key: things.channel }, body: { name: 'Ours' } }),
  removeChannel: ({ things }) => ({ params: { key: things.channel } }),
  testChannel: ({ things }) => ({ params: { key: things.channel } }),
  rotateSecret: ({ things }) => ({ params: { key: things.channel } }),
  channelDeliveries: ({ things }) => ({ params: { key: things.channel } }),
  delivery: ({ things }) => ({ params: { id: things.delivery } }),
  replayDelivery: ({ things }) => ({ params: { id: things.delivery } }),
  accountAlerts: () => ({}),
  changeAccountAlerts: () => ({ body: { digest: false } }),
  previewAlerts: ({ things }) => ({ body: { domain_id: things.domain, steps: ['14d'] } }),
  makeCalendar: () => ({}),
  removeCalendar: () => ({}),
  listMaintenance: () => ({}),
  addMaintenance: ({ things }) => ({ body: { ...nextHour(), domain_id: things.domain, repeats: 'never' } }),
  removeMaintenance: ({ things }) => ({ params: { id: things.maintenance } }),
  domainAlerts: ({ things }) => ({ params: { id: things.domain } }),
  changeDomainAlerts: ({ things }) => ({ params: { id: things.domain }, body: { muted: ['uptime'] } }),
  subscribeDomain: ({ things }) => ({ params: { id: things.domain } }),
  acknowledgeIncident: ({ things }) => ({ params: { id: things.incident }, body: { acknowledged: true } }),
  snoozeIncident: ({ things }) => ({ params: { id: things.incident }, body: { until: null } }),
  calendar: () => ({ params: { file: `${'A'.repeat(43)}.ics` } }),
  confirmRecipient: () => ({ body: { token: `${'A'.repeat(43)}.${Date.now().toString(36)}` } }),
  unsubscribeSubject: () => ({ body: { token: 'A'.repeat(43) } }),
  unsubscribeAtOnce: () => ({
    params: { token: 'A'.repeat(43) },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  }),
  unsubscribe: () => ({ body: { token: 'A'.repeat(43), scope: 'all' } }),
  openUnsubscribeAddress: () => ({ params: { token: 'A'.repeat(43) } }),

  listProducts: () => ({}),
  openCheckout: () => ({ body: { price_id: TEST_PRICE } }),
  billing: () => ({}),
  paymentWebhook: () => ({ body: {}, headers: { 'paddle-signature': 'ts=1;h1=00' } }),
  testPay: ({ things }) => ({ body: { price_id: TEST_PRICE, reference: things.reference } }),
  testSubscription: () => ({}),
  testEvent: () => ({ body: { event: 'renew' } }),

  statusPage: () => ({}),
  saveStatusPage: ({ caller, things }) => ({
    body: {
      title: 'What we run',
      slug: `page-of-${caller.name}`,
      shows: 'chosen',
      enabled: true,
      domains: [{ id: things.domain, label: 'The first' }],
    },
  }),
  previewStatusPage: ({ things }) => ({
    body: {
      title: 'What we run',
      shows: 'chosen',
      tags: [],
      domains: [{ id: things.domain, label: 'Mine' }],
      show_certificates: true,
      show_uptime: true,
      show_incidents: true,
    },
  }),
  pageAddress: () => ({ query: { slug: 'a-new-page' } }),
  publicStatus: () => ({ params: { slug: 'no-such-page' } }),
  domainBadge: ({ things }) => ({ params: { id: things.domain } }),
  makeBadge: ({ things }) => ({ params: { id: things.domain } }),
  removeBadge: ({ things }) => ({ params: { id: things.domain } }),
  accountMetrics: () => ({}),

  events: () => ({}),
  glance: () => ({ body: { host: 'new.example.com' } }),
  publicConfig: () => ({}),
  health: () => ({}),
  healthLive: () => ({}),
  healthReady: () => ({}),
  healthLate: () => ({}),
};
