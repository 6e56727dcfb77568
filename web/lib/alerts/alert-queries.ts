import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import type {
  AccountAlertsWire,
  DomainAlertsWire,
  MaintenanceWindowWire,
} from '../../../contract/alerting.ts';
import type { ChannelWire, DeliveryWire } from '../../../contract/channel.ts';
import { useLiveEvents } from '../live-events-context.ts';
import { fetchAccountAlerts, fetchDomainAlerts, fetchMaintenance } from './alert-calls.ts';
import { fetchChannelDeliveries, fetchChannels, fetchDelivery } from './channel-calls.ts';

const ALERTS = 'alerts';

/** Keys of what is read about alerts; all of them begin alike. */
export const ALERT_KEYS = {
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
  queryFn: ({ signal }) => fetchChannels(signal),
});
const ACCOUNT = queryOptions({
  queryKey: ALERT_KEYS.account,
  queryFn: ({ signal }) => fetchAccountAlerts(signal),
});
const MAINTENANCE = queryOptions({
  queryKey: ALERT_KEYS.maintenance,
  queryFn: ({ signal }) => fetchMaintenance(signal),
});

export const useChannels = (): UseQueryResult<ChannelWire[]> => useQuery(CHANNELS);
export const useAccountAlerts = (): UseQueryResult<AccountAlertsWire> => useQuery(ACCOUNT);
export const useMaintenance = (): UseQueryResult<MaintenanceWindowWire[]> => useQuery(MAINTENANCE);

/** What was told of a domain, what will be, and what is wrong with it. */
export function useDomainAlerts(id: string): UseQueryResult<DomainAlertsWire> {
  return useQuery({
    queryKey: ALERT_KEYS.domain(id),
    queryFn: ({ signal }) => fetchDomainAlerts(id, signal),
    staleTime: 0,
  });
}

/** The last messages to a channel, newest first. */
export function useChannelDeliveries(key: string): UseQueryResult<DeliveryWire[]> {
  return useQuery({
    queryKey: ALERT_KEYS.deliveries(key),
    queryFn: ({ signal }) => fetchChannelDeliveries(key, signal),
    staleTime: 0,
  });
}

const POLL_MS = 2_000;

/** Nothing more happens with it by itself. */
export const isSettled = ({ state }: Pick<DeliveryWire, 'state'>): boolean =>
  state !== 'waiting' && state !== 'held';

/**
 * A receipt as it becomes. The server tells of changes, and while it is not settled it is asked for every two seconds too; one
 * that is settled is what it was read as.
 */
export function useDelivery(first: DeliveryWire): DeliveryWire {
  const isOpen = !isSettled(first);
  const { data } = useQuery({
    queryKey: ALERT_KEYS.delivery(first.id),
    queryFn: ({ signal }) => fetchDelivery(first.id, signal),
    initialData: first,
    staleTime: 0,
    enabled: isOpen,
    refetchInterval: ({ state }) => (state.data && isSettled(state.data) ? false : POLL_MS),
  });
  return isOpen ? data : first;
}

/** Everything about alerts that is shown follows what the server tells. Mounted once by whatever shows any of it. */
export function useLiveAlerts(): void {
  const reread = useRereadAlerts();
  useLiveEvents(({ event }) => {
    if (event === 'alerts') reread();
  });
}

/** Reads everything about alerts again that is being shown. */
export function useRereadAlerts(): () => void {
  const queryClient = useQueryClient();
  return useCallback(() => void queryClient.invalidateQueries({ queryKey: [ALERTS] }), [queryClient]);
}

/** Puts what a call answered where the reads have it. */
export function useAlertCache() {
  const queryClient = useQueryClient();
  return {
    putAccount: (alerts: AccountAlertsWire) => queryClient.setQueryData(ALERT_KEYS.account, alerts),
    putDomain: (id: string, alerts: DomainAlertsWire) => {
      queryClient.setQueryData(ALERT_KEYS.domain(id), alerts);
    },
    /** Replaces the channel with its key, or adds it at the end. */
    putChannel: (channel: ChannelWire) =>
      queryClient.setQueryData<ChannelWire[]>(ALERT_KEYS.channels, (former) => {
        if (!former) return former;
        const isKnown = former.some(({ key }) => key === channel.key);
        return isKnown
          ? former.map((one) => (one.key === channel.key ? channel : one))
          : [...former, channel];
      }),
    dropChannel: (gone: string) =>
      queryClient.setQueryData<ChannelWire[]>(ALERT_KEYS.channels, (former) =>
        former?.filter(({ key }) => key !== gone),
      ),
    putDelivery: (delivery: DeliveryWire) =>
      queryClient.setQueryData(ALERT_KEYS.delivery(delivery.id), delivery),
  };
}
