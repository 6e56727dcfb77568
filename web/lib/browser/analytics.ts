/** The events that are measured; nothing else is. `value` is in major units of `currency` (ISO 4217). */
export type AnalyticsEvent =
  | { name: 'sign_up' | 'login'; email: string; method: string }
  | { name: 'user_add_domain'; count: number }
  | { name: 'begin_checkout'; currency: string; value: number }
  | { name: 'purchase'; currency: string; value: number; transaction_id: string };

/** The browser features that analytics uses. */
export interface AnalyticsPage {
  /** Whether Do Not Track or Global Privacy Control is set. */
  readonly asksForPrivacy: boolean;
  /** URL of the page without query and fragment, which may contain an invitation or a token. */
  readonly address: string;
  loadScript: (address: string) => void;
  /** Queues a call of gtag.js, which needs the `arguments` object itself. */
  enqueue: (call: IArguments) => void;
}

export interface Analytics {
  /** Sets the measurement id; null switches analytics off. Nothing is measured before the first call. */
  measureFor: (id: string | null) => void;
  /** Sends an event. Never throws and never waits. Does nothing without a measurement id or if the browser asks for privacy. */
  track: (event: AnalyticsEvent) => void;
}

/** Measures with GA4; loads its script at the first event. */
export function createAnalytics(page: AnalyticsPage): Analytics {
  let measuredFor: string | null = null;
  let loadedFor: string | null = null;

  // gtag.js recognises its calls by the `arguments` object, so no rest parameter here.
  const gtag: (...call: unknown[]) => void = function enqueue() {
    page.enqueue(arguments);
  };

  const load = (id: string) => {
    loadedFor = id;
    gtag('js', new Date());
    gtag('config', id, {
      // Sends only the events of `AnalyticsEvent`: no page views, no advertising.
      send_page_view: false,
      allow_google_signals: false,
      allow_ad_personalization_signals: false,
    });
    page.loadScript(`https://www.googletagmanager.com/gtag/js?id=${encodeURIComponent(id)}`);
  };

  return {
    measureFor: (id) => {
      measuredFor = id;
    },
    track: ({ name, ...facts }) => {
      if (measuredFor === null || page.asksForPrivacy) return;
      if (loadedFor === null) load(measuredFor);
      gtag('event', name, { ...facts, send_to: measuredFor, page_location: page.address });
    },
  };
}

interface MeasuredWindow {
  dataLayer?: IArguments[];
}

interface PrivacySignals {
  doNotTrack?: string | null;
  globalPrivacyControl?: boolean;
}

const analytics = createAnalytics({
  get asksForPrivacy() {
    const { doNotTrack, globalPrivacyControl } = navigator as PrivacySignals;
    return doNotTrack === '1' || doNotTrack === 'yes' || globalPrivacyControl === true;
  },
  get address() {
    return window.location.origin + window.location.pathname;
  },
  loadScript: (address) => {
    const script = document.createElement('script');
    script.async = true;
    script.src = address;
    document.head.append(script);
  },
  enqueue: (call) => {
    const queue = ((window as MeasuredWindow).dataLayer ??= []);
    queue.push(call);
  },
});

export const { track, measureFor } = analytics;
