/** What is measured, and nothing else. `value` is in major units of `currency` (ISO 4217). */
export type AnalyticsEvent =
  | { name: 'sign_up' | 'login'; email: string; method: string }
  | { name: 'user_add_domain'; count: number }
  | { name: 'begin_checkout'; currency: string; value: number }
  | { name: 'purchase'; currency: string; value: number; transaction_id: string };

/** What of the browser the measurement touches. */
export interface AnalyticsPage {
  /** Do Not Track or Global Privacy Control is set. */
  readonly asksForPrivacy: boolean;
  /** Without query and fragment, which may carry an invitation or a token. */
  readonly address: string;
  loadScript: (address: string) => void;
  /** Takes one call of gtag.js: its queue wants the `arguments` object itself. */
  enqueue: (call: IArguments) => void;
}

export interface Analytics {
  /** The measurement id of the deployment; null: nothing is measured. Until the first call nothing is either. */
  measureFor: (id: string | null) => void;
  /** Never throws, never waits. Off without an id and for who asks for privacy: then nothing is loaded or sent. */
  track: (event: AnalyticsEvent) => void;
}

/** Measures with GA4; its script is loaded at the first event and never before. */
export function createAnalytics(page: AnalyticsPage): Analytics {
  let measuredFor: string | null = null;
  let loadedFor: string | null = null;

  // gtag.js tells its calls from other entries of the queue by their being `arguments`, so this takes no rest parameter.
  const gtag: (...call: unknown[]) => void = function enqueue() {
    page.enqueue(arguments);
  };

  const load = (id: string) => {
    loadedFor = id;
    gtag('js', new Date());
    gtag('config', id, {
      // Only the events above: no page views, no advertising.
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
