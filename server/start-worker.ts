import type { Logger } from 'pino';
import { join } from 'node:path';
import { derivedKey, unsubscribeKeys } from './api/auth/derived-keys.ts';
import { createOperatorApp } from './api/operations/operator-app.ts';
import { createEmailChannel } from './channels/email/email-channel.ts';
import { createPing } from './channels/heartbeat.ts';
import { createHttpChannels } from './channels/http-channels.ts';
import type { Config } from './config.ts';
import { LIMITS } from './core/limits.ts';
import type { Secrets } from './data-directory.ts';
import type { AddressPolicy } from './egress/address-policy.ts';
import { createDnsReader } from './egress/dns/dns-reader.ts';
import type { HostsFile } from './egress/hosts-file.ts';
import { createPublicTls } from './egress/exchange.ts';
import { createResolver } from './egress/resolver.ts';
import { createCanaries } from './probe/canary.ts';
import { createForecastSource } from './probe/forecast/forecast-source.ts';
import { createIconSource } from './probe/icons/icon-source.ts';
import { createLogListSource } from './probe/sources/log-list-source.ts';
import { createThreadedExaminer } from './probe/threaded-examiner.ts';
import type { Store } from './store/db/open-store.ts';
import type { Telemetry } from './telemetry/metrics.ts';
import type { Readiness } from './telemetry/readiness.ts';
import { systemClock } from './worker/clock.ts';
import { logListsAtStart } from './worker/log-lists.ts';
import { createAlarms } from './worker/operator-alarm.ts';
import { createWorker } from './worker/worker.ts';

/** What the API and the worker of a process share. */
export interface SharedParts {
  /** `publicUrl` is final: it has the port that the server listens on. */
  config: Config;
  secrets: Secrets;
  store: Store;
  /** Addresses that checks may reach. */
  policy: AddressPolicy;
  /** Addresses that messages may reach. */
  channelPolicy: AddressPolicy;
  /** File whose names win over DNS in checks; null: none. */
  hostsFile: HostsFile | null;
  /** File whose names win over DNS in messages; null: none. */
  channelHostsFile: HostsFile | null;
  log: Logger;
  telemetry: Telemetry;
  readiness: Readiness;
}

/** Creates the app for health and metrics of a process without the API. */
export const operatorApp = (parts: SharedParts) => createOperatorApp({ ...parts, clock: systemClock });

/** Starts the worker. Call `close` after `stop`. */
export function startWorker(parts: SharedParts): {
  stop: (messageGraceMs: number) => Promise<void>;
  close: () => Promise<void>;
} {
  const { config, secrets, store, policy, channelPolicy, hostsFile, channelHostsFile, log, telemetry } =
    parts;
  const bounces = config.bounces && { ...config.bounces, key: derivedKey(secrets.session, 'bounce') };
  const email = createEmailChannel({
    smtpUrl: config.smtpUrl,
    mailFrom: config.mailFrom,
    captureDir: join(config.dataDir, 'mail'),
    bounces,
  });
  const servers = config.dnsServers;
  const resolver = createResolver({ servers, policy, hostsFile });
  const channelResolver = createResolver({ servers, policy: channelPolicy, hostsFile: channelHostsFile });
  // A mirror of the lists of logs may have a certificate of the operator's own authority.
  const secure = createPublicTls(config.extraCaPem === null ? [] : [config.extraCaPem]);
  const alarms = createAlarms({ store, clock: systemClock, log });
  const examiner = createThreadedExaminer({
    dnsServers: config.dnsServers,
    egressAllowCidrs: config.egressAllowCidrs,
    hostsFile: config.hostsFile,
    ownNames: { ehloName: config.ehloName, publicHost: config.publicUrl.hostname },
    extraCaPem: config.extraCaPem,
    logLists: logListsAtStart(config.logLists),
    cacheFolder: join(config.dataDir, 'cache'),
    checkWork: config.limits.workPerCheck,
    onLimit: () => telemetry.metrics.countReachedLimit(LIMITS.workPerCheck.setting),
    onTrouble: (error) => log.warn({ err: error }, 'an examiner thread reported an error'),
    onDifference: (detail) => void alarms.raise('tls_differs', detail),
  });
  const worker = createWorker({
    store,
    examiner,
    previewExaminer: examiner.previews,
    icons: createIconSource({ resolver, policy }),
    forecasts: config.forecasts
      ? createForecastSource({
          reader: createDnsReader({ servers, now: () => systemClock.now() }),
          resolver,
          policy,
          reach: 'public',
        })
      : null,
    portsPerHost: config.signups === 'open' ? config.limits.portsPerHost : null,
    logLists: {
      settings: config.logLists,
      fetch: createLogListSource({ resolver, policy, secure }),
      onChange: (lists) => examiner.useLogLists(lists),
    },
    email,
    channels: createHttpChannels({
      resolver: channelResolver,
      policy: channelPolicy,
      isForStrangers: config.signups === 'open',
    }),
    unsubscribeKeys: unsubscribeKeys(secrets.session),
    bounces: bounces?.mailbox == null ? null : { ...bounces, mailbox: bounces.mailbox },
    canaries: createCanaries({ hosts: config.canaryHosts, resolver, policy, now: () => systemClock.now() }),
    supportEmail: config.supportEmail,
    heartbeat: config.heartbeatUrl && {
      ...heartbeatTarget(config),
      ping: createPing({ url: config.heartbeatUrl, resolver, policy }),
    },
    clock: systemClock,
    random: Math.random,
    concurrency: config.checkConcurrency,
    leaseMs: config.leaseMs,
    log,
    telemetry,
    publicUrl: config.publicUrl,
    productName: config.productName,
  });
  worker.start();
  return {
    stop: (messageGraceMs) => worker.stop(messageGraceMs),
    close: async () => {
      await examiner.close();
      email.close();
    },
  };
}

/** Returns the endpoint that the self-check probes: the first canary host, else this server's public address. */
function heartbeatTarget({ canaryHosts, publicUrl }: Config): { host: string; port: number } {
  const host = publicUrl.hostname.replace(/^\[|\]$/g, '');
  return canaryHosts[0] ?? { host, port: Number(publicUrl.port || 443) };
}
