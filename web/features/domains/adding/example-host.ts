/** The sample in an empty input; reserved by RFC 2606, so that it is nobody's. */
export const EXAMPLE_HOST = 'shop.example.com';
/** What else than a hostname can be watched. */
export const ENDPOINT_HINT = 'host:8443 and smtp://mail.example.com work too.';
