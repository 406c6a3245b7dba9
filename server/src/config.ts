/** Reads the configuration from the environment; no other file does. Each wrong value is refused at start with its name. */
import { resolve } from 'node:path'
import { parseCorsOrigins } from './lib/cors-origins.ts'
import { findNearestName } from './lib/nearest.ts'
import { parseLakeUrl } from './lib/lake-url.ts'
import { parseNatsUrl } from './lib/nats-url.ts'
import { findRoleProblems, parseRoles, ROLES } from './lib/roles.ts'
import { parseS3Url } from './lib/s3-url.ts'
import {
  allowList,
  byteCount,
  count,
  domainList,
  email,
  hostList,
  ingestWay,
  list,
  choice,
  packetRate,
  type Parse,
  passphrase,
  password,
  port,
  secretKey,
  sender,
  streamByteCount,
  text,
  token,
  url,
  wholeSeconds,
  yesOrNo,
} from './lib/setting-values.ts'
import { parseTileTemplate } from './lib/tile-template.ts'
import { parseTrustedProxies } from './lib/trusted-proxies.ts'

interface Setting<T> {
  variable: string
  parse: Parse<T>
  /** Read where the variable is absent or empty; without one the value is undefined. */
  defaultText?: string
  /** The effect of an absent variable, for a setting without a default. Markdown, like the description. */
  absent?: string
  description?: string
}

const setting = <T>(
  variable: string,
  parse: Parse<T>,
  texts: { defaultText: string; description?: string },
): Setting<T> => ({ variable, parse, ...texts })

const optional = <T>(
  variable: string,
  parse: Parse<T>,
  texts: { absent?: string; description?: string },
): Setting<T | undefined> => ({ variable, parse, ...texts })

/** `npm run generate` writes them into README.md. */
export const settings = {
  roles: setting('GANGWAY_ROLES', parseRoles, {
    defaultText: ROLES.join(','),
    description: '[what this node does](docs/operating.md#roles), where there are several',
  }),
  databaseUrl: optional('DATABASE_URL', url('postgres:', 'postgresql:'), {
    absent: 'the embedded PostgreSQL',
    description: '`postgresql://…`, version 15 or later',
  }),
  databaseReadUrl: optional('GANGWAY_DATABASE_READ_URL', url('postgres:', 'postgresql:'), {
    absent: 'the database of `DATABASE_URL`',
    description: 'a [streaming replica](docs/cluster.md#read-replicas) of it, which answers queries',
  }),
  dataDir: setting('GANGWAY_DATA_DIR', (value) => resolve(value), {
    defaultText: './data',
    description: 'database, secret key, TLS certificate',
  }),
  httpHost: setting('GANGWAY_HTTP_HOST', text, {
    defaultText: '0.0.0.0',
    description: 'the address that HTTP listens on',
  }),
  httpPort: setting('GANGWAY_HTTP_PORT', port, { defaultText: '8080' }),
  onboardingPort: optional('GANGWAY_ONBOARDING_PORT', port, {
    absent: 'the HTTP port',
    description:
      'moves the [onboarding paths](docs/onboarding.md#port), and nothing else, to a port of their own',
  }),
  httpsPort: setting('GANGWAY_HTTPS_PORT', port, {
    defaultText: '8443',
    description: 'the onboarding paths and enrolment (EST) over TLS, for devices; 0 for any free port',
  }),
  mqttHost: optional('GANGWAY_MQTT_HOST', text, {
    absent: 'every address',
    description: 'the address that MQTT listens on',
  }),
  mqttPort: setting('GANGWAY_MQTT_PORT', port, { defaultText: '1883' }),
  mqttsPort: setting('GANGWAY_MQTTS_PORT', port, { defaultText: '8883' }),
  mqttsCertFile: optional('GANGWAY_MQTTS_CERT_FILE', text, {
    absent: 'from a local CA made at first start',
    description:
      'PEM, of MQTT over TLS and of HTTPS; devices trust the CA at `GET /v1/ca.crt` (`tls/ca.crt` in the data directory)',
  }),
  mqttsKeyFile: optional('GANGWAY_MQTTS_KEY_FILE', text, {
    absent: 'from a local CA made at first start',
    description: "PEM; the certificate's private key",
  }),
  mqttRate: setting('GANGWAY_MQTT_RATE', packetRate, {
    defaultText: '10000 packets, 16 MiB',
    description:
      'what one device may send in a second over all its connections to one server, such as `500 packets, 256 KiB`; `off` for no limit',
  }),
  mqttConnectionsPerAddress: setting('GANGWAY_MQTT_CONNECTIONS_PER_ADDRESS', count, {
    defaultText: '20000',
    description:
      'MQTT connections of one address to one server; an IPv6 address counts by its /64, and devices behind a gateway or proxy have its address',
  }),
  seriesLimit: setting('GANGWAY_SERIES_LIMIT', count, {
    defaultText: '1000',
    description:
      'series of one device, which are the names that it ever sent; a message that would make more is a dead letter',
  }),
  tlsNames: setting('GANGWAY_TLS_NAMES', hostList, {
    defaultText: '',
    description:
      "further names and addresses of the built-in certificate, such as `iot.example.com,*.plant.example,203.0.113.7`; it names this machine's host name and addresses, and that of `GANGWAY_PUBLIC_URL`, by itself",
  }),
  publicUrl: optional('GANGWAY_PUBLIC_URL', url('http:', 'https:'), {
    description: 'how the platform is reached from outside',
  }),
  secretKey: optional('GANGWAY_SECRET_KEY', secretKey, {
    absent: 'made once, `secret.key` in the data directory',
    description: '32 bytes, base64; seals the secrets in the database',
  }),
  newSecretKey: optional('GANGWAY_NEW_SECRET_KEY', secretKey, {
    description: 'only for `npm run rotate-secret-key`',
  }),
  backupPassphrase: optional('GANGWAY_BACKUP_PASSPHRASE', passphrase, {
    description:
      '12 characters or more; seals [backups](docs/backup.md), with the keys in them, and opens them',
  }),
  newDatabase: setting('GANGWAY_NEW_DATABASE', yesOrNo, {
    defaultText: 'no',
    description: '`yes` for one start: takes an empty database though there is the secret key of another one',
  }),
  adminEmail: setting('GANGWAY_ADMIN_EMAIL', email, {
    defaultText: 'admin@example.com',
    description: 'of the first start',
  }),
  adminPassword: optional('GANGWAY_ADMIN_PASSWORD', password, {
    absent: 'a random one',
    description: 'of the first start',
  }),
  smtpUrl: optional('GANGWAY_SMTP_URL', url('smtp:', 'smtps:'), {
    description: 'mail server (`smtp://user:password@host:587`); without it no mail is sent',
  }),
  mailFrom: optional('GANGWAY_MAIL_FROM', sender, {
    description: 'the sender of mail; required with `GANGWAY_SMTP_URL`',
  }),
  /** In lower case. */
  mailFromDomains: setting('GANGWAY_MAIL_FROM_DOMAINS', domainList, {
    defaultText: '',
    description:
      'domains, such as `example.com,example.org`, whose addresses notifications may be sent from; another `from` becomes Reply-To',
  }),
  smsUrl: optional('GANGWAY_SMS_URL', url('http:', 'https:'), {
    description:
      "SMS gateway that takes Twilio's form (`https://SID:TOKEN@host/2010-04-01/Accounts/SID/Messages.json`); without it no SMS is sent",
  }),
  filesUrl: optional('GANGWAY_FILES_URL', parseS3Url, {
    absent: 'files in the data directory',
    description:
      'S3-compatible storage for files: `s3://key:secret@host:9000/bucket/prefix?region=us-east-1&tls=true`',
  }),
  lakeUrl: optional('GANGWAY_LAKE_URL', parseLakeUrl, {
    absent: 'no lake',
    description:
      'keeps closed days of telemetry as Parquet files, in a folder (`/srv/lake`, `file:///srv/lake`) or in S3-compatible storage (as `GANGWAY_FILES_URL`)',
  }),
  uploadLimit: setting('GANGWAY_UPLOAD_LIMIT', byteCount, {
    defaultText: '268435456',
    description: 'bytes of one uploaded file',
  }),
  logLevel: setting(
    'GANGWAY_LOG_LEVEL',
    choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    {
      defaultText: 'info',
      description: '`fatal` … `trace`, `silent`; lines are JSON, and readable text on a terminal',
    },
  ),
  outboundAllow: setting('GANGWAY_OUTBOUND_ALLOW', allowList, {
    defaultText: '',
    description:
      'hosts, addresses or CIDRs, besides public addresses, that providers, IoT hubs, webhooks, issuers and the SMS gateway may have, such as `loopback,10.1.0.0/16`; `loopback` is this machine',
  }),
  drainSeconds: setting('GANGWAY_DRAIN_SECONDS', wholeSeconds(10), {
    defaultText: '0',
    description:
      'how long a node that is asked to stop stays in service, so that load balancers and devices [move to other nodes](docs/cluster.md#rolling-restart), at most 10',
  }),
  metricsToken: optional('GANGWAY_METRICS_TOKEN', token, {
    description: 'closes `/metrics` to all but the bearer of this token',
  }),
  rateLimitStandard: setting('GANGWAY_RATE_LIMIT_STANDARD', count, {
    defaultText: '1000',
    description: 'platform requests an hour of one user or API token, in the plan `standard`',
  }),
  rateLimitEnterprise: setting('GANGWAY_RATE_LIMIT_ENTERPRISE', count, {
    defaultText: '10000',
    description: 'the same in the plan `enterprise`',
  }),
  rateLimitDataView: optional('GANGWAY_RATE_LIMIT_DATA_VIEW', count, {
    absent: 'that of the plan',
    description: 'the same of an API token that is limited to `data_view`',
  }),
  corsOrigins: setting('GANGWAY_CORS_ORIGINS', (value) => parseCorsOrigins(list(value)), {
    defaultText: '',
    description:
      'origins, such as `https://app.example.com,http://localhost:5173`, whose pages may call the API from a browser; `*` for every origin',
  }),
  mapTiles: optional('GANGWAY_MAP_TILES', parseTileTemplate, {
    absent: 'maps have the outline that comes with the console',
    description:
      'tiles of a map server in the projection Web Mercator, such as `https://tiles.example.com/{z}/{x}/{y}.png`, below the [maps](docs/console.md#map-tiles) of dashboards; browsers load them from there',
  }),
  mapAttribution: optional('GANGWAY_MAP_ATTRIBUTION', text, {
    description:
      'the words that the owner of the tiles wants below a map, such as `© OpenStreetMap contributors`; required with `GANGWAY_MAP_TILES`',
  }),
  natsUrl: optional('GANGWAY_NATS_URL', parseNatsUrl, {
    description:
      'NATS with JetStream, such as `tls://user:password@nats-1:4222,tls://user:password@nats-2:4222`: carries messages [between nodes](docs/operating.md#several-servers), else the database does; and events, which else go to the log at level `debug`',
  }),
  natsCaFile: optional('GANGWAY_NATS_CA_FILE', text, {
    absent: 'the CAs that Node trusts',
    description: 'PEM; the CA of the NATS servers, with which the connection is always encrypted',
  }),
  natsCertFile: optional('GANGWAY_NATS_CERT_FILE', text, {
    description: 'PEM; the certificate that this server shows to NATS',
  }),
  natsKeyFile: optional('GANGWAY_NATS_KEY_FILE', text, {
    description: "PEM; that certificate's private key",
  }),
  natsCredentialsFile: optional('GANGWAY_NATS_CREDENTIALS_FILE', text, {
    description: 'a credentials file of NATS (JWT and seed), instead of a user and password in the URL',
  }),
  ingest: setting('GANGWAY_INGEST', ingestWay, {
    defaultText: 'database',
    description:
      'where messages of devices are stored before they are acknowledged: `database`, or `stream` for [NATS JetStream](docs/stream.md), from which nodes with the role `ingest` store them in the database',
  }),
  streamBytes: setting('GANGWAY_STREAM_BYTES', streamByteCount, {
    defaultText: '1073741824',
    description: 'bytes that the stream of `GANGWAY_INGEST=stream` may have on each of its servers',
  }),
  trustProxy: setting('GANGWAY_TRUST_PROXY', parseTrustedProxies, {
    defaultText: '0',
    description:
      'which proxies may tell the address of a client by `X-Forwarded-For`: how many stand in front of the server (then nobody else may reach its port), or their addresses and CIDRs (`10.0.0.0/8,2001:db8::1`); the HTTPS port, where TLS of devices ends, believes none',
  }),
}

type Settings = typeof settings
export type Config = { [Key in keyof Settings]: Settings[Key] extends Setting<infer T> ? T : never }

export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
}

type Environment = Record<string, string | undefined>

/** @throws ConfigurationError with one line for each wrong variable */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const values = Object.entries(settings).map(([key, { variable, defaultText, parse }]) => {
    const given = env[variable] || defaultText
    try {
      return [key, given === undefined ? undefined : parse(given)]
    } catch (error) {
      problems.push(`${variable}: ${(error as Error).message}`)
      return [key, undefined]
    }
  })
  const config = Object.fromEntries(values) as Config
  problems.push(...findUnknown(env), ...findHalves(env))
  if (problems.length === 0) problems.push(...findStreamProblems(config), ...findRoleProblems(config))
  if (problems.length > 0)
    throw new ConfigurationError(`Wrong configuration:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  return config
}

/** A misspelt variable would else leave its default in force, unnoticed. */
function findUnknown(env: Environment): string[] {
  const known = Object.values(settings).map(({ variable }) => variable)
  const unknown = Object.keys(env).filter((name) => name.startsWith('GANGWAY_') && !known.includes(name))
  return unknown.map((name) => {
    const nearest = findNearestName(name, known)
    return `${name}: there is no such variable${nearest ? `; did you mean ${nearest}?` : ''}`
  })
}

/** Settings that mean nothing without each other. */
const pairs = [
  ['GANGWAY_MQTTS_CERT_FILE', 'GANGWAY_MQTTS_KEY_FILE'],
  ['GANGWAY_SMTP_URL', 'GANGWAY_MAIL_FROM'],
  ['GANGWAY_MAP_TILES', 'GANGWAY_MAP_ATTRIBUTION'],
  ['GANGWAY_NATS_CERT_FILE', 'GANGWAY_NATS_KEY_FILE'],
] as const

/** Settings that mean nothing without another one, which stands first. */
const dependents = [
  ['DATABASE_URL', 'GANGWAY_DATABASE_READ_URL'],
  ['GANGWAY_NATS_URL', 'GANGWAY_NATS_CA_FILE'],
  ['GANGWAY_NATS_URL', 'GANGWAY_NATS_CERT_FILE'],
  ['GANGWAY_NATS_URL', 'GANGWAY_NATS_CREDENTIALS_FILE'],
  ['GANGWAY_INGEST', 'GANGWAY_STREAM_BYTES'],
] as const

const findStreamProblems = ({ ingest, natsUrl }: Config): string[] =>
  ingest === 'stream' && !natsUrl ? ['GANGWAY_INGEST: stream needs GANGWAY_NATS_URL'] : []

const findHalves = (env: Environment): string[] => [
  ...pairs
    .filter(([one, other]) => Boolean(env[one]) !== Boolean(env[other]))
    .map(([one, other]) => `${one} and ${other}: set both, or neither`),
  ...dependents
    .filter(([needed, dependent]) => env[dependent] && !env[needed])
    .map(([needed, dependent]) => `${dependent}: has an effect only with ${needed}`),
]
