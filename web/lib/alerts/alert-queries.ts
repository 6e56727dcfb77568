import { queryOptions, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type {
  AccountAlertsWire,
  DomainAlertsWire,
  MaintenanceWindowWire,
  PreviewAlerts,
} from '../../../contract/alerting.ts';
import {
  accountAlerts,
  channelDeliveries,
  delivery,
  domainAlerts,
  listChannels,
  listMaintenance,
  previewAlerts,
} from '../../../contract/calls/alert.ts';
import type { ChannelWire, DeliveryWire } from '../../../contract/channel.ts';
import { call } from '../api-client.ts';
import { useLiveEvents } from '../live-events-context.ts';

const ALERTS = 'alerts';

/** Query keys of everything about alerts. They share a prefix, so that all can be refetched together. */
const ALERT_KEYS = {
  channels: [ALERTS, 'channels'],
  account: [ALERTS, 'account'],
  maintenance: [ALERTS, 'maintenance'],
  preview: [ALERTS, 'preview'],
  domain: (id: string) => [ALERTS, 'domain', id],
  deliveries: (key: string) => [ALERTS, 'deliveries', key],
  delivery: (id: string) => [ALERTS, 'delivery', id],
} as const;

const CHANNELS = queryOptions({
  queryKey: ALERT_KEYS.channels,
  queryFn: ({ signal }) => call(listChannels, { signal }),
});
const ACCOUNT = queryOptions({
  queryKey: ALERT_KEYS.account,
  queryFn: ({ signal }) => call(accountAlerts, { signal }),
});
const MAINTENANCE = queryOptions({
  queryKey: ALERT_KEYS.maintenance,
  queryFn: ({ signal }) => call(listMaintenance, { signal }),
});

/** Query for the alerts that would be sent with these settings. Refetches when the certificate's `fingerprint` changes. */
export const alertPreview = (question: PreviewAlerts, fingerprint: string | null = null) =>
  queryOptions({
    queryKey: [...ALERT_KEYS.preview, question, fingerprint],
    queryFn: ({ signal }) => call(previewAlerts, { body: question, signal }),
    staleTime: 0,
  });

export const useChannels = (): UseQueryResult<ChannelWire[]> => useQuery(CHANNELS);
export const useAccountAlerts = (): UseQueryResult<AccountAlertsWire> => useQuery(ACCOUNT);
export const useMaintenance = (): UseQueryResult<MaintenanceWindowWire[]> => useQuery(MAINTENANCE);

/** Query for a domain's incidents, planned and sent alerts. Refetches when the certificate's `fingerprint` changes. */
export const domainAlertsOf = (id: string, fingerprint?: string | null) =>
  queryOptions({
    queryKey: [...ALERT_KEYS.domain(id), ...(fingerprint === undefined ? [] : [fingerprint])],
    queryFn: ({ signal }) => call(domainAlerts, { params: { id }, signal }),
    staleTime: 0,
  });

export const useDomainAlerts = (id: string): UseQueryResult<DomainAlertsWire> => useQuery(domainAlertsOf(id));

/** Reads the last messages to a channel, newest first. */
export function useChannelDeliveries(key: string): UseQueryResult<DeliveryWire[]> {
  return useQuery({
    queryKey: ALERT_KEYS.deliveries(key),
    queryFn: async ({ signal }) => (await call(channelDeliveries, { params: { key }, signal })).data,
    staleTime: 0,
  });
}

const POLL_MS = 2_000;

/** Tells whether the delivery has reached a final state. */
export const isSettled = ({ state }: Pick<DeliveryWire, 'state'>): boolean =>
  state !== 'waiting' && state !== 'held';

/** Follows a delivery through live events, and polls every two seconds until it is settled. */
export function useDelivery(first: DeliveryWire): DeliveryWire {
  const isOpen = !isSettled(first);
  const { data } = useQuery({
    queryKey: ALERT_KEYS.delivery(first.id),
    queryFn: ({ signal }) => call(delivery, { params: { id: first.id }, signal }),
    initialData: first,
    staleTime: 0,
    enabled: isOpen,
    refetchInterval: ({ state }) => (state.data && isSettled(state.data) ? false : POLL_MS),
  });
  return isOpen ? data : first;
}

/** Refreshes everything about alerts on the server's events. Mounted once per view. */
export function useLiveAlerts(): void {
  const reread = useRereadAlerts();
  useLiveEvents(({ event }) => {
    if (event === 'alerts') void reread();
  });
}

/** Returns a function that rereads everything about alerts that is shown. */
export function useRereadAlerts(): () => Promise<void> {
  const queryClient = useQueryClient();
  return useCallback(() => queryClient.invalidateQueries({ queryKey: [ALERTS] }), [queryClient]);
}

/** Returns functions that write the answers of calls into the query cache. */
export function useAlertCache() {
  const queryClient = useQueryClient();
  return {
    putAccount: (alerts: AccountAlertsWire) => queryClient.setQueryData(ALERT_KEYS.account, alerts),
    putDomain: (id: string, alerts: DomainAlertsWire) => {
      queryClient.setQueryData(ALERT_KEYS.domain(id), alerts);
    },
    putDelivery: (delivery: DeliveryWire) =>
      queryClient.setQueryData(ALERT_KEYS.delivery(delivery.id), delivery),
  };
}
