export type { AccountMail, ClearedTable, Concern, Digest, TruncatedList } from './account-mail.ts';
export { isSuppressible, LINK_MAILS, mailedLink, OPERATOR_MAILS } from './account-mail.ts';
export type { UnsubscribePair } from './account-mail.ts';
export {
  alertSteps,
  expectedRenewal,
  isShortLived,
  tighterStepReachedAt,
  renewalOverdueAt,
} from './alert-steps.ts';
export type { ChosenStep, Renewable, Step } from './alert-steps.ts';
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
  RegistrationEnd,
} from './alerting/alert.ts';
export { alertTitle } from './alerting/alert-title.ts';
export { upcomingAlerts } from './alerting/upcoming-alerts.ts';
export type { UpcomingAlert } from './alerting/upcoming-alerts.ts';
export { updateIncidents } from './alerting/update-incidents.ts';
export { incidentSeverity, isAcknowledged } from './alerting/incident.ts';
export type { CertificateGroup, RecordedCheck } from './alerting/incident.ts';
export { REMEMBER_INCIDENTS_MS, silentUntil } from './alerting/incident.ts';
export type { IncidentChange, IncidentPlan, KnownIncident } from './alerting/incident.ts';
export { knownZone, zoneOffsetMs } from './alerting/local-time.ts';
export { maxMerged, MERGE_WAIT, mergeKey } from './alerting/merging.ts';
export { maintenanceUntil } from './alerting/silence.ts';
export type { MaintenanceWindow } from './alerting/silence.ts';
export { isChannelOpen, mayUseChannel, routeAlert } from './alerting/route.ts';
export type {
  AlertContext,
  AlertRoute,
  ChannelKind,
  ChannelState,
  EarlierDelivery,
  RoutedAlert,
} from './alerting/route.ts';
export { sendAt } from './alerting/silence.ts';
export {
  ACCOUNT_MAIL,
  affectsAlerts,
  DEFAULT_ALERT_SETTINGS,
  effectiveSettings,
  existingChannels,
  isMuted,
  maySetSteps,
  withExistingChannels,
} from './alerting/settings.ts';
export type { AlertSettings, DomainAlertSettings, QuietHours } from './alerting/settings.ts';
export { stepLabel } from './alert-steps.ts';
export {
  begunDeployment,
  expectedDeployment,
  replacedCertificate,
  waitingAddresses,
} from './alerting/conditions.ts';
export { certificateDiff } from './certificate-diff.ts';
export type { CertificateDiff } from './certificate-diff.ts';
export { CSV_START, csvRecord } from './csv.ts';
export type { CsvCell } from './csv.ts';
export { concernedCertificates, conclude, onScheduleUntil } from './check/conclude.ts';
export type { CheckState, ConcernedCertificate, Conclusion, UptimeRecord } from './check/conclude.ts';
export {
  composeDigest,
  DIGEST_AHEAD_MS,
  DIGEST_EXPIRES_AFTER_MS,
  DIGEST_MAX_AHEAD_MS,
  DIGEST_PERIOD_MS,
  followDigest,
  mayGetDigest,
  nextDigestAt,
} from './digest.ts';
export type { DigestDomain, DigestIncident } from './digest.ts';
export { ALARM_MAIL, isOverdue, MAIL_FAILURE, mailOutageSince, OVERDUE_MS } from './health.ts';
export type { FailingRecipient } from './health.ts';
export { duration, longInstant } from './long-date.ts';
export { isExpectedStatus } from './expected-status.ts';
export { describeTarget, effectiveTarget, identityKey, identityOf, nameOf, readTarget } from './target.ts';
export type { CheckedEndpoint, Targeted } from './target.ts';
export { endpointAt, placeOf, srvServices } from './srv.ts';
export type { DomainServer } from './srv.ts';
export { displayName, mappedIpv4, normaliseEndpoint, unicodeName } from './endpoint.ts';
export type { Endpoint, EndpointPolicy, EndpointErrorCode, NormalisedEndpoint } from './endpoint.ts';
export type { Finding, FindingCode, FindingFacts, FindingWords } from './finding.ts';
export type { Severity } from './findings/definition.ts';
export { isFacts } from './finding.ts';
export { isRecord, list, nullable, number, object } from './shape.ts';
export type { Infer } from './shape.ts';
export { certificateFacts, readChain } from './facts.ts';
export type { CertificateFacts, PresentedCertificate } from './facts.ts';
export type {
  AddressObservation,
  AlternateChain,
  CaaObservation,
  FailedObservation,
  FetchedIntermediate,
  HandshakeObservation,
  HelloObservation,
  HelloPart,
  HelloReaction,
  Http2Fault,
  HttpObservation,
  Observation,
  PostureObservation,
  PosturePart,
  ReachFailure,
  ReachStage,
  UsualLeaf,
  Refusal,
  RegistrationObservation,
  RenewalEvidence,
  Resolution,
  RevocationEvidence,
  RevocationProblem,
  TlsVersion,
} from './observation.ts';
export { HELLO_PARTS, POSTURE_PARTS, TLS_VERSIONS, unexaminedObservation } from './observation.ts';
export { isAlpnOptional, isSensitive, offeredAlpn, protocolOfPort, serviceOf } from './protocol.ts';
export { normaliseAddress } from './mail-address.ts';
export {
  endedSource,
  entitlement,
  entitlementAt,
  followRefund,
  frequencyOn,
  isStaleReport,
  mayAdd,
  mayResume,
  mayUseFrequency,
  blockingSubscription,
  remainingDomains,
  chargeableSubscriptions,
  pastDueSince,
  refundTime,
  RETENTION_GRACE_MS,
  splitForFree,
  TRIAL_MS,
  TRIAL_REMEMBERED_MS,
} from './plan.ts';
export { authorityRefusal, readAuthorities, readCertificates, readExpected } from './pasted-certificates.ts';
export type { AuthorityFacts, ExpectedCertificate, PrivateAuthority } from './pasted-certificates.ts';
export type { Entitlement, Plan, PlanFacts, PlanSource, PlanStatus, Refund, Subscription } from './plan.ts';
export { CLIENTS_OF_PART } from './judge/clients/hello-rules.ts';
export { judge } from './judge/judge.ts';
export { concludeRevocation, revocationSentence } from './judge/revocation.ts';
export { duePostureParts } from './check/posture-due.ts';
export { dueWithInterval, HEARTBEAT_EVERY_MINUTES, laneOf, lanePortions, LANES } from './check/schedule.ts';
export { dailyQuotaKb, FIXED_LIMITS, LIMITS, limitsFrom, STANDARD_LIMITS } from './limits.ts';
export type { LimitName, Limits } from './limits.ts';
export { longDate } from './long-date.ts';
export { oneLine, truncatedLine } from './one-line.ts';
export { connectsTo } from './judge/clients/client-rule.ts';
export { connectingClients } from './judge/clients/refusals.ts';
export { keyTypeOf } from './judge/clients/field-rules.ts';
export { describeFindings, describeVerdict, findingMessage, shortLine } from './report/describe-finding.ts';
export { failureSentence, replyAt, whatHappenedAt } from './report/reach-finding.ts';
export { earlierPosture, isPostureComplete, untestedPosture } from './report/report-posture.ts';
export {
  clientSentence,
  needsFetching,
  reportFindings,
  reportMarkdown,
  servedThere,
  whereServed,
} from './report/report.ts';
export type { Report } from './report/report.ts';
export type { ReportFinding, ReportUptime } from './report/reach-finding.ts';
export { channelLoss, nextAttemptAt } from './retry.ts';
export type { RetrySchedule } from './retry.ts';
export { reasonWords, revocationReason, revocationSource, revocationWhy } from './findings/revocation.ts';
export type { ClientRuleCode } from './judge/clients/client-rule.ts';
export type {
  AddressVerdict,
  ExpiringCertificate,
  Failure,
  LastSeen,
  PathEntry,
  PostureVerdict,
  RenewalVerdict,
  Reply,
  RevocationVerdict,
  RevokedCertificate,
  ServedPeriod,
  Verdict,
} from './verdict.ts';
export { isVerdict } from './verdict.ts';
export {
  assessUptime,
  followUptime,
  isUptimeConfirmed,
  recentChecks,
  isHeldBack,
  uptimePercent,
  uptimeWindowDays,
} from './check/uptime.ts';
export type { DownCause, Uptime, UptimeAssessment, UptimeStanding, UptimeStep } from './check/uptime.ts';
