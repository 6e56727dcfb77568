/** The sample in an empty input; reserved by RFC 2606, so that it is nobody's. */
export const EXAMPLE_HOST = 'shop.example.com';
