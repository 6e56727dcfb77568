import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';

/** Connects to a port of 127.0.0.1 and exits with 1 if the certificate is refused. Arguments: file with the roots, host, port. */
const [rootsFile = '', host = '', port = ''] = process.argv.slice(2);
const ca = readFileSync(rootsFile, 'utf8').match(/-----BEGIN[^]*?END CERTIFICATE-----/g) ?? [];
const servername = /^[\d.]+$/.test(host) ? '' : host;
const socket = connect({ host: '127.0.0.1', port: Number(port), ca, servername }, () => process.exit(0));
socket.on('error', (error) => {
  process.stdout.write(error.message);
  process.exit(1);
});
