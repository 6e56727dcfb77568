/** What the operator reads once the product serves: the address, where mail can be read, and how to try it. */
export function readyLines(options: {
  productName: string;
  publicUrl: URL;
  /** null where mail goes out through a mail server. */
  mailPageKey: string | null;
  /** This machine's own address of the server; the mail page answers on no other. */
  localUrl: string;
  insecureHttp: boolean;
}): string {
  const { productName, publicUrl, mailPageKey, localUrl, insecureHttp } = options;
  const lines = [
    '',
    `  ${productName} is ready at ${publicUrl.origin}`,
    mailPageKey === null
      ? null
      : `  Its mail is kept here until SMTP_URL is set: ${localUrl}/dev/mail?key=${mailPageKey}`,
    '  To look around with example domains and no network: npm run demo',
    missingHttps(publicUrl) && !insecureHttp
      ? `  Not usable yet: ${publicUrl.origin} is not https. Put a TLS proxy in front and set PUBLIC_URL=https://…, or set INSECURE_HTTP=true on a network you trust.`
      : null,
    '',
  ];
  return lines.filter((line) => line !== null).join('\n');
}

/** Plain http is safe only where it never leaves the machine. */
export function missingHttps(publicUrl: URL): boolean {
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(publicUrl.hostname);
  return publicUrl.protocol === 'http:' && !local;
}
