import { DatabaseSync } from 'node:sqlite';

/** Columns of the table `monitor` of Uptime Kuma 2.5, with the type and default of those that must have a value. */
const MONITOR_COLUMNS = [
  'id integer primary key autoincrement not null',
  'active boolean not null default 1',
  'interval integer not null default 20',
  'maxretries integer not null default 0',
  'ignore_tls boolean not null default 0',
  'upside_down boolean not null default 0',
  'maxredirects integer not null default 10',
  `accepted_statuscodes_json text not null default '["200-299"]'`,
  `method text not null default 'GET'`,
  'expiry_notification boolean default 1',
  'grpc_enable_tls boolean not null default 0',
  'kafka_producer_ssl boolean not null default 0',
  `conditions text not null default '[]'`,
  'timeout double not null default 0',
  ...['user_id', 'port', 'parent', 'docker_host', 'proxy_id', 'manual_status'].map(
    (name) => `${name} integer`,
  ),
  ...`name url type weight hostname created_date keyword dns_resolve_type dns_resolve_server push_token body headers basic_auth_user
    basic_auth_pass docker_container mqtt_topic mqtt_username mqtt_password database_connection_string database_query auth_method
    grpc_url grpc_protobuf radius_username radius_password radius_secret game description tls_ca tls_cert tls_key json_path
    expected_value kafka_producer_topic kafka_producer_brokers oauth_client_secret remote_browser snmp_oid rabbitmq_nodes
    rabbitmq_username rabbitmq_password smtp_security ip_family mqtt_websocket_path system_service_name subtype location protocol
    expected_tls_alert bearer_token gamedig_token`
    .split(/\s+/)
    .map((name) => `${name} text`),
];

/** Writes a database with the tables of Uptime Kuma 2.5 that have monitors and tags. Returns it open, in the mode that Uptime Kuma uses. */
export function createKumaDatabase(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE monitor (${MONITOR_COLUMNS.join(', ')});
    CREATE TABLE tag (id integer primary key autoincrement not null, name varchar(255) not null, color varchar(255) not null);
    CREATE TABLE monitor_tag (id integer primary key autoincrement not null, monitor_id integer not null,
      tag_id integer not null, value text);
  `);
  return database;
}

/** Adds a monitor and returns its id. `tags`: names and values. */
export function addKumaMonitor(
  database: DatabaseSync,
  fields: Readonly<Record<string, string | number>>,
  tags: Readonly<Record<string, string>> = {},
): number {
  const insert = (table: string, row: Readonly<Record<string, string | number>>) => {
    const marks = Object.keys(row).map(() => '?');
    const statement = database.prepare(
      `INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${marks.join()})`,
    );
    return Number(statement.run(...Object.values(row)).lastInsertRowid);
  };
  const id = insert('monitor', fields);
  for (const [name, value] of Object.entries(tags)) {
    const tag = insert('tag', { name, color: '#4B5563' });
    insert('monitor_tag', { monitor_id: id, tag_id: tag, value });
  }
  return id;
}
