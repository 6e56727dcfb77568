import { freePort } from '../../kit/product/app.ts';
import { STANDARD_PORT_ADDRESS, startDaemon, SYSLOG } from '../../kit/machine/daemon.ts';
import type { Endpoint, ServerKind } from '../servers.ts';
import { converse } from '../traces.ts';

const ADDRESS = '127.0.0.1';
const DIRECT: Endpoint = { protocol: 'tls', address: STANDARD_PORT_ADDRESS, port: 636 };

/** LDAP: simple bind of cn=config with the password `wrong` (RFC 4511 §4.2). */
const BIND_WITH_WRONG_PASSWORD = Buffer.from(
  `301a02010160150201030409${Buffer.from('cn=config').toString('hex')}8005${Buffer.from('wrong').toString('hex')}`,
  'hex',
);

export const slapd: ServerKind = {
  name: 'slapd',
  packages: ['slapd', ...SYSLOG],
  async start(files) {
    const plain: Endpoint = { protocol: 'ldap', address: ADDRESS, port: await freePort() };
    const log = `${files.folder}/syslog`;
    const configuration = files.write(
      'slapd.conf',
      `include /etc/ldap/schema/core.schema
pidfile ${files.folder}/slapd.pid
argsfile ${files.folder}/slapd.args
TLSCertificateFile ${files.certificateFile}
TLSCertificateKeyFile ${files.keyFile}
TLSCACertificateFile ${files.rootFile}
TLSVerifyClient never
loglevel stats
database config
rootdn cn=config
rootpw secret
`,
    );
    files.changeOwner('openldap');
    const endpoints = [plain, DIRECT];
    const addresses = `ldap://${ADDRESS}:${plain.port}/ ldaps://${DIRECT.address}:${DIRECT.port}/`;
    const daemon = await startDaemon(
      ['slapd', ...'-d 0 -s stats -u openldap -g openldap -h'.split(' '), addresses, '-f', configuration],
      { cwd: files.folder, listensOn: endpoints, syslog: log },
    );
    const traces = {
      log,
      filters: { slapd: () => converse(plain, [BIND_WITH_WRONG_PASSWORD], { speaksFirst: true }) },
      // OpenLDAP 2.5 writes these fields after `err`, where the filter of fail2ban 1.0 expects only `text`.
      forFilters: (lines: string) => lines.replaceAll(/ qtime=\S+ etime=\S+/g, ''),
      errors: /connection lost|TLS negotiation failure|err=(?!0)/,
    };
    return { ...daemon, endpoints, traces };
  },
};
