import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsOf, portsOf, PROTOCOL_NAMES } from '../../../contract/protocols.ts';
import { isSkipped } from './parsed-import.ts';
import { entriesOf } from './import-plan.ts';
import { parseImport } from './parse-import.ts';

// A monitor as version 1.23 writes it: fields that are not used have the form's defaults.
const monitor = (fields: object) => ({
  url: 'https://',
  hostname: null,
  port: null,
  active: true,
  tags: [],
  name: 'It',
  ...fields,
});
const backup = (...monitors: object[]) =>
  JSON.stringify({ version: '1.23.17', notificationList: [], monitorList: monitors.map(monitor) });
const linesOf = (...monitors: object[]) => {
  const parsed = parseImport(backup(...monitors));
  expect(parsed).toMatchObject({ ok: true, format: 'uptime-kuma' });
  return parsed.ok ? parsed.lines : [];
};
/** Returns each line’s host or, if the monitor is not imported, the reason. */
const read = (...monitors: object[]) =>
  linesOf(...monitors).map((line) =>
    isSkipped(line) ? line.reason.replace('Cannot be carried over. ', '✗ ') : line.host,
  );
/** Returns the host and the remark that says what changes. */
const readRemark = (one: object) =>
  linesOf(one).map((line) => (isSkipped(line) ? line.reason : `${line.host} (${line.remark})`));

test('monitors of Uptime Kuma are imported with their names, descriptions and tags', () => {
  const tags = [
    { name: 'env', value: 'prod' },
    { name: 'web', value: '' },
  ];
  expect(
    linesOf({ type: 'http', name: 'Shop', url: 'https://shop.example', description: 'Ours', tags }),
  ).toEqual([
    {
      line: 1,
      host: 'https://shop.example',
      tags: ['env: prod', 'web'],
      notes: 'Shop\nOurs',
      remark: null,
      target: {},
    },
  ]);
});

test.each([
  ['http', { url: 'https://shop.example/health' }, 'https://shop.example/health'],
  ['keyword', { url: 'https://ann:secret@blog.example:8443/?token=secret' }, 'https://blog.example:8443/'],
  ['json-query', { url: 'https://api.example/v1' }, 'https://api.example/v1'],
  ['real-browser', { url: 'https://app.example' }, 'https://app.example'],
  ['websocket-upgrade', { url: 'wss://ws.example/live' }, 'https://ws.example/live'],
  ['globalping', { subtype: 'http', url: 'https://far.example' }, 'https://far.example'],
  ['port', { hostname: 'mail.example', port: 993 }, 'mail.example:993'],
  ['port', { hostname: 'mail.example', port: 587 }, 'mail.example:587'],
  ['port', { hostname: 'mail.example', port: 9443, smtpSecurity: 'secure' }, 'tls://mail.example:9443'],
  ['port', { hostname: 'mail.example', port: 587, smtpSecurity: 'starttls' }, 'smtp://mail.example:587'],
  ['port', { hostname: 'mail.example', port: 143, smtpSecurity: 'starttls' }, 'imap://mail.example:143'],
  ['port', { hostname: 'chat.example', port: 5222, smtpSecurity: 'starttls' }, 'xmpp://chat.example:5222'],
  [
    'port',
    { hostname: 'chat.example', port: 5269, smtpSecurity: 'starttls' },
    'xmpp-server://chat.example:5269',
  ],
  ['port', { hostname: 'mail.example', port: 1587, smtpSecurity: 'starttls' }, 'smtp://mail.example:1587'],
  [
    'port',
    { hostname: 'mtls.example', port: 9443, expectedTlsAlert: 'unknown_ca' },
    'tls://mtls.example:9443',
  ],
  ['smtp', { hostname: 'mx.example', port: 2526, smtpSecurity: 'starttls' }, 'smtp://mx.example:2526'],
  ['smtp', { hostname: 'mx.example', port: 465, smtpSecurity: 'secure' }, 'smtps://mx.example:465'],
  ['smtp', { hostname: 'mx.example' }, 'smtp://mx.example'],
  ['mqtt', { hostname: 'mqtts://mq.example', port: 8884 }, 'tls://mq.example:8884'],
  ['mqtt', { hostname: 'mq.example', port: 8883 }, 'tls://mq.example:8883'],
  ['mqtt', { hostname: 'mqtts://me:secret@mq.example', port: 8883 }, 'tls://mq.example:8883'],
  ['mqtt', { hostname: 'wss://mq.example', port: 443 }, 'https://mq.example:443'],
  ['grpc-keyword', { grpcUrl: 'rpc.example:8443', grpcEnableTls: true }, 'tls://rpc.example:8443'],
  ['grpc-keyword', { grpcUrl: 'dns:///rpc.example', grpcEnableTls: true }, 'tls://rpc.example:443'],
  [
    'grpc-keyword',
    { grpcUrl: 'https://me:secret@rpc.example', grpcEnableTls: true },
    'tls://rpc.example:443',
  ],
  [
    'postgres',
    { databaseConnectionString: 'postgres://user:secret@db.example:5433/app?sslmode=require' },
    'postgres://db.example:5433',
  ],
  ['mysql', { databaseConnectionString: 'mysql://user:secret@[2001:db8::1]/app' }, 'mysql://[2001:db8::1]'],
  ['redis', { databaseConnectionString: 'rediss://:secret@cache.example' }, 'tls://cache.example:6379'],
  ['oracledb', { databaseConnectionString: 'tcps://ora.example/app' }, 'tls://ora.example:2484'],
])('a monitor of the kind %s with %j is checked at %s', (type, fields, host) => {
  expect(read({ type, ...fields })).toEqual([host]);
});

test('a port monitor is read at each usual port of each protocol', () => {
  for (const facts of PROTOCOL_NAMES.filter((name) => name !== 'tls').map(factsOf))
    for (const port of [...portsOf(facts), ...portsOf(facts.direct)])
      expect(read({ type: 'port', hostname: 'a.example', port })).toEqual([`a.example:${port}`]);
});

test('a monitor with several hosts becomes several lines', () => {
  const databaseConnectionString = 'mongodb://user:secret@a.example,b.example:27018/app?tls=true';
  expect(
    read(
      { type: 'mongodb', databaseConnectionString },
      {
        type: 'kafka-producer',
        kafkaProducerSsl: true,
        kafkaProducerBrokers: ['k1.example:9093', 'k2.example'],
      },
      { type: 'rabbitmq', rabbitmqNodes: ['https://r1.example:15671', 'https://r2.example:15671'] },
    ),
  ).toEqual([
    'tls://a.example:27017',
    'tls://b.example:27018',
    'tls://k1.example:9093',
    'tls://k2.example:9092',
    'https://r1.example:15671',
    'https://r2.example:15671',
  ]);
});

const WITHOUT_TLS = '✗ It connects without TLS, so that there is no certificate';
test.each([
  ['ntp', { hostname: 'time.example', port: 123 }, '✗ NTP uses no certificate'],
  ['sip-options', { hostname: 'sip.example', port: 5060 }, '✗ We cannot check certificates of SIP'],
  ['ping', { hostname: 'gw.example' }, '✗ Ping uses no certificate'],
  ['dns', { hostname: 'zone.example', port: 53 }, '✗ A DNS query uses no certificate'],
  ['push', {}, '✗ A push monitor waits for calls and has no host'],
  ['group', {}, '✗ A group, not a host'],
  ['new-kind', { hostname: 'a.example' }, '✗ We do not know this kind of monitor: new-kind'],
  ['constructor', { hostname: 'a.example' }, '✗ We do not know this kind of monitor: constructor'],
  ['http', {}, '✗ It has no host'],
  ['http', { url: 'http://a.example:8080/x' }, '✗ Plain HTTP at a.example:8080 has no certificate'],
  ['http', { url: 'https://a.example', upsideDown: true }, '✗ Upside Down Mode is not supported'],
  ['globalping', { subtype: 'ping', hostname: 'a.example' }, '✗ Ping and DNS queries use no certificate'],
  [
    'port',
    { hostname: 'ssh.example', port: 22 },
    '✗ It only checks whether the port is open. Add tls://ssh.example:22 if there is a certificate',
  ],
  ['smtp', { hostname: 'mx.example', smtpSecurity: 'nostarttls' }, WITHOUT_TLS],
  ['mqtt', { hostname: 'mqtt://mq.example', port: 1883 }, WITHOUT_TLS],
  ['grpc-keyword', { grpcUrl: 'rpc.example:50051', grpcEnableTls: false }, WITHOUT_TLS],
  ['redis', { databaseConnectionString: 'redis://cache.example:6379' }, WITHOUT_TLS],
  ['mongodb', { databaseConnectionString: 'mongodb://a.example/app' }, WITHOUT_TLS],
  [
    'mongodb',
    { databaseConnectionString: 'mongodb+srv://u:secret@a.example/app' },
    '✗ Its hosts are listed in DNS. Add each as tls://HOST:PORT',
  ],
  ['postgres', { databaseConnectionString: 'postgres://a.example/app?sslmode=disable' }, WITHOUT_TLS],
  ['mysql', { databaseConnectionString: 'Server=db.example;Pwd=secret' }, '✗ It has no host'],
])('a monitor of the kind %s with %j is left out, and the preview says why', (type, fields, reason) => {
  expect(read({ type, ...fields })).toEqual([reason]);
});

test.each([
  [
    { url: 'https://a.example', active: false },
    'https://a.example (Paused in Uptime Kuma, but checked here)',
  ],
  [
    { url: 'https://a.example', ignoreTls: true },
    'https://a.example (Uptime Kuma ignores faults of this certificate, which are reported here)',
  ],
  [
    { url: 'http://a.example:80/x' },
    'https://a.example/x (Uptime Kuma uses plain HTTP; HTTPS is checked here)',
  ],
  [{ type: 'keyword', url: 'https://a.example' }, 'https://a.example (The keyword is not looked for here)'],
  [
    { url: 'https://a.example/admin', accepted_statuscodes: ['401'] },
    'https://a.example/admin (Its accepted statuses are not carried over, because the page at / is checked here)',
  ],
  [
    { url: 'https://a.example', authMethod: 'basic', accepted_statuscodes: ['200-299'] },
    'https://a.example (Its accepted statuses are not carried over, because the page is requested without sign-in here, by GET)',
  ],
  [{ url: 'https://a.example/x', accepted_statuscodes: ['200-299'] }, 'https://a.example/x (null)'],
])('the preview says what changes for %j', (fields, line) => {
  expect(readRemark({ type: 'http', ...fields })).toEqual([line]);
});

test('statuses that count as up, and the address family, are carried over', () => {
  const accepted = (codes: string[], fields: object = {}) => {
    const web = {
      type: 'http',
      url: 'https://a.example/',
      accepted_statuscodes: codes,
      maxredirects: 10,
      ...fields,
    };
    return entriesOf(linesOf(web))[0];
  };
  const host = 'https://a.example/';
  const rest = { tags: [], notes: 'It' };
  expect(accepted(['200-299'])).toEqual({ host, ...rest, expected_status: '200-399' });
  expect(accepted(['200-299'], { maxredirects: 0 })).toMatchObject({ expected_status: '200-299' });
  expect(accepted(['200-299'], { type: 'real-browser' })).not.toHaveProperty('expected_status');
  expect(accepted(['200-299', '401'], { ipFamily: 'ipv6' })).toEqual({
    host,
    ...rest,
    // Uptime Kuma follows redirects. We do not, so a redirect counts as up.
    expected_status: '200-399,401',
    family: '6',
  });
  expect(accepted(['401'], { maxredirects: 0 })).toEqual({ host, ...rest, expected_status: '401' });
  // A request with a password usually gets another status than one without.
  expect(accepted(['200-299'], { authMethod: 'basic' })).not.toHaveProperty('expected_status');
  expect(accepted(['200-299'], { url: 'https://me:secret@a.example' })).not.toHaveProperty('expected_status');
  expect(accepted(['200-299'], { method: 'POST' })).not.toHaveProperty('expected_status');
  // The status of another page says nothing about the status of /.
  expect(accepted(['401'], { url: 'https://a.example/admin' })).not.toHaveProperty('expected_status');
});

test('a WebSocket monitor is imported as an HTTPS check; its WebSocket close code is not taken for an HTTP status', () => {
  const fields = { type: 'websocket-upgrade', accepted_statuscodes: ['1000'], maxredirects: 10 };
  const lines = linesOf({ ...fields, url: 'wss://ws.example' }, { ...fields, url: 'wss://ws.example/live' });
  const remark = 'Only HTTPS is checked here, without a WebSocket connection';
  expect(lines).toMatchObject([
    { host: 'https://ws.example', target: {}, remark },
    { host: 'https://ws.example/live', target: {}, remark },
  ]);
  const web = { type: 'http', url: 'https://a.example', accepted_statuscodes: ['1000', '401', '500-1000'] };
  expect(linesOf(web)).toMatchObject([{ target: { expected_status: '401' } }]);
});

test('many accepted statuses are joined to ranges, and a list that stays too long leaves out only its monitor', () => {
  const accepted = (step: number) => ({
    type: 'http',
    url: `https://step-${step}.example/`,
    accepted_statuscodes: Array.from({ length: 80 }, (_, index) => String(200 + step * index)),
  });
  expect(read(accepted(1), accepted(2))).toEqual([
    'https://step-1.example/',
    'Expected status: longer than 300 characters',
  ]);
  expect(entriesOf(linesOf(accepted(1), accepted(2)))).toMatchObject([{ expected_status: '200-279' }]);
});

test('parseImport accepts any list of monitors in a backup without throwing', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (monitors) => {
      expect(parseImport(JSON.stringify({ monitorList: monitors })).ok).toBe(true);
    }),
  );
});
