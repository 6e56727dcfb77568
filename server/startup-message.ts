/** Returns the text printed once the server is ready: its URL, where to read mail, and how to start the demo. */
export function startupMessage(options: {
  productName: string;
  publicUrl: URL;
  /** URL of the page that shows stored mail; null if an SMTP server sends it. */
  mailPage: URL | null;
  billing: { mode: 'none' | 'unset' | 'test' } | { mode: 'paddle'; environment: 'live' | 'sandbox' };
  /** Warning for the operator, or null. */
  warning: string | null;
  /** Reason why the server is not usable yet; null if it is usable. */
  obstacle: string | null;
}): string {
  const { productName, publicUrl, mailPage, billing, warning, obstacle } = options;
  const lines = [
    '',
    `  ${productName} is ready at ${publicUrl.origin}`,
    mailPage && `  Its mail is kept here until SMTP_URL is set: ${mailPage.href}`,
    PAYMENTS[billing.mode === 'paddle' ? billing.environment : billing.mode],
    warning && `  Warning: ${warning}`,
    '  To look around with example domains and no network: npm run demo',
    obstacle && `  Not usable yet: ${obstacle}`,
    '',
  ];
  return lines.filter((line) => line !== null).join('\n');
}

const PAYMENTS = {
  none: null,
  live: null,
  sandbox:
    "  Payments: Paddle's sandbox, nobody is charged: test cards buy Premium. docs/payments.md says how to sell",
  test: '  Payments: test mode, no money moves. docs/payments.md says how to sell',
  unset:
    '  Payments: none, so Premium cannot be bought. Set the PADDLE_ variables (docs/payments.md), or BILLING=none to give Premium to everybody',
} as const;
