export type {
  AccountMail,
  ClearedTable,
  Concern,
  Digest,
  TruncatedList,
  DomainName,
} from './account-mail.ts';
export { mailedLink } from './account-mail.ts';
export type { UnsubscribePair } from './account-mail.ts';
export {
  alertSteps,
  expectedRenewal,
  isShortLived,
  tighterStepReachedAt,
  renewalOverdueAt,
} from './alert-steps.ts';
export type { ChosenStep, Step } from './alert-steps.ts';
export { alertEvent } from './alerting/alert.ts';
export type {
  AlertCertificate,
  AlertEvent,
  AlertFacts,
  AlertKind,
  AlertSeverity,
  AlertStep,
  PlannedAlert,
  Problem,
} from './alerting/alert.ts';
export { alertTitle } from './alerting/alert-title.ts';
export { upcomingAlerts } from './alerting/upcoming-alerts.ts';
export type { UpcomingAlert } from './alerting/upcoming-alerts.ts';
export { updateIncidents } from './alerting/update-incidents.ts';
export { incidentSeverity } from './alerting/incident.ts';
export type { RecordedCheck } from './alerting/incident.ts';
export { REMEMBER_INCIDENTS_MS, silentUntil } from './alerting/incident.ts';
export type { IncidentChange, IncidentPlan, KnownIncident } from './alerting/incident.ts';
export { knownZone, zoneOffsetMs } from './alerting/local-time.ts';
export { maintenanceUntil } from './alerting/silence.ts';
export type { MaintenanceWindow } from './alerting/silence.ts';
export { mayUseChannel, routeAlert } from './alerting/route.ts';
export type { AlertRoute, ChannelKind, ChannelState } from './alerting/route.ts';
export { sendAt } from './alerting/silence.ts';
export { ACCOUNT_MAIL, DEFAULT_ALERT_SETTINGS, effectiveSettings } from './alerting/settings.ts';
export type { AlertSettings, DomainAlertSettings, QuietHours } from './alerting/settings.ts';
export { stepLabel } from './alert-steps.ts';
export { replacedCertificate } from './alerting/conditions.ts';
export { certificateDiff } from './certificate-diff.ts';
export type { CertificateDiff } from './certificate-diff.ts';
export { CSV_START, csvRecord } from './csv.ts';
export type { CsvCell } from './csv.ts';
export { conclude } from './check/conclude.ts';
export type {
  AlertContext,
  CheckState,
  Conclusion,
  EarlierDelivery,
  RoutedAlert,
  UptimeRecord,
} from './check/conclude.ts';
export { concernOf, DIGEST_AHEAD_MS, type DigestDomain, isExpiring, nextDigestAt } from './digest.ts';
export { count, duration } from './long-date.ts';
export { displayName, mappedIpv4, normaliseEndpoint } from './endpoint.ts';
export type { Endpoint, EndpointPolicy, EndpointErrorCode, NormalisedEndpoint } from './endpoint.ts';
export type {
  Finding,
  FindingCode,
  FindingFacts,
  FindingWords,
  PathFault,
  RenewalWindow,
  Severity,
} from './finding.ts';
export { certificateFacts, readChain } from './facts.ts';
export type { CertificateFacts, PresentedCertificate } from './facts.ts';
export type {
  AddressObservation,
  CaaObservation,
  FailedObservation,
  FetchedIntermediate,
  HandshakeObservation,
  HttpObservation,
  Observation,
  PostureObservation,
  ReachFailure,
  ReachStage,
  RegistrationObservation,
  RenewalEvidence,
  Resolution,
  RevocationEvidence,
  RevocationProblem,
  TlsVersion,
} from './observation.ts';
export { TLS_VERSIONS, unexaminedObservation } from './observation.ts';
export { isSensitive } from './protocol.ts';
export { normaliseAddress } from './mail-address.ts';
export {
  entitlement,
  frequencyOn,
  mayAdd,
  mayResume,
  mayUseFrequency,
  NOT_ENTITLED,
  blockingSubscription,
  roomFor,
  chargeableSubscriptions,
  TRIAL_MS,
} from './plan.ts';
export { readAuthorities } from './private-authorities.ts';
export type { AuthorityFacts, PrivateAuthority } from './private-authorities.ts';
export type { Entitlement, Plan, PlanFacts, PlanSource, PlanStatus, Subscription } from './plan.ts';
export { judge } from './judge/judge.ts';
export { laneOf, lanePortions, LANES } from './check/schedule.ts';
export { LIMITS, limitsFrom, STANDARD_LIMITS } from './limits.ts';
export type { LimitName, Limits } from './limits.ts';
export { longDate } from './long-date.ts';
export { oneLine, truncatedLine } from './one-line.ts';
export { describeFindings, describeVerdict, findingMessage } from './report/describe-finding.ts';
export { failureSentence, whatHappened } from './report/reach-finding.ts';
export { needsFetching, reportFindings, reportMarkdown, servedThere, whereServed } from './report/report.ts';
export type { Report } from './report/report.ts';
export type { ReportFinding, ReportUptime } from './report/reach-finding.ts';
export { isChannelLost, MAIL_MAX_DELAY_MS, nextAttemptAt } from './retry.ts';
export type { RetrySchedule } from './retry.ts';
export {
  revocationReason,
  revocationSentence,
  revocationSource,
  revocationWhy,
} from './report/revocation-words.ts';
export type {
  AddressVerdict,
  ExpiringCertificate,
  Failure,
  LastSeen,
  PathEntry,
  PostureVerdict,
  RenewalVerdict,
  RevocationVerdict,
  RevokedCertificate,
  ServedPeriod,
  Verdict,
} from './verdict.ts';
export { assessUptime, followUptime, recentChecks, uptimePercent, uptimeWindowDays } from './check/uptime.ts';
export type { DownCause, Uptime, UptimeAssessment, UptimeStanding, UptimeStep } from './check/uptime.ts';
