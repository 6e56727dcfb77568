/** Returns the 4 or 16 bytes of an IP address, as in certificates and DNS records. */
export function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  // The URL parser converts an embedded dotted quad to hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const right = tail === undefined ? [] : groups(tail);
  const left = groups(head);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
