/** Reads the configuration from the environment; no other file does. Each wrong value is refused at start with its name. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseCorsOrigins } from './lib/cors-origins.ts'
import { findNearestName } from './lib/nearest.ts'
import { parseAllowRules } from './lib/outbound-addresses.ts'
import { parseS3Url, type S3Location } from './lib/s3-url.ts'
import { parseTrustedProxies, type TrustProxy } from './lib/trusted-proxies.ts'

export interface Config {
  databaseUrl: string | undefined
  dataDir: string
  httpHost: string
  httpPort: number
  onboardingPort: number | undefined
  /** If absent, all addresses. */
  mqttHost: string | undefined
  mqttPort: number
  mqttsPort: number
  mqttsCertFile: string | undefined
  mqttsKeyFile: string | undefined
  /** Additional names and addresses for the built-in certificate. */
  tlsNames: string[]
  publicUrl: string | undefined
  secretKey: Buffer | undefined
  /** Allows a start with an empty database although there was another one. */
  newDatabase: boolean
  /** Only for the rotation of the secret key. */
  newSecretKey: Buffer | undefined
  /** Only for backup and restore: encrypts the backup. */
  backupPassphrase: string | undefined
  adminEmail: string
  adminPassword: string | undefined
  smtpUrl: string | undefined
  mailFrom: string | undefined
  /** In lower case. Notifications may be sent from any address in these domains. */
  mailFromDomains: string[]
  /** Accepts messages in Twilio's format; may contain credentials. */
  smsUrl: string | undefined
  /** If absent, files are stored in the data directory. */
  filesUrl: S3Location | undefined
  /** Maximum bytes of one file. */
  uploadLimit: number
  logLevel: string
  natsUrl: string | undefined
  outboundAllow: string[]
  /** If set, /metrics requires this token. */
  metricsToken: string | undefined
  /** Requests per hour and principal. */
  rateLimits: { standard: number; enterprise: number; dataView: number | undefined }
  trustProxy: TrustProxy
  /** Origins whose scripts may call the API; `*` alone allows all. */
  corsOrigins: string[]
}

export class ConfigurationError extends Error {
  override name = 'ConfigurationError'
}

type Environment = Record<string, string | undefined>
type Parse<T> = (text: string) => T

const reader = (env: Environment) => {
  const problems: string[] = []
  const known = new Set<string>()
  return {
    problems,
    /** Otherwise a misspelt variable would leave its default in force unnoticed. */
    refuseUnknown() {
      for (const name of Object.keys(env))
        if (name.startsWith('GANGWAY_') && !known.has(name)) {
          const nearest = findNearestName(name, [...known])
          problems.push(`${name}: there is no such variable${nearest ? `; did you mean ${nearest}?` : ''}`)
        }
    },
    read<T, F extends T | undefined>(name: string, fallback: F, parse: Parse<T>): T | F {
      known.add(name)
      const text = env[name]
      if (text === undefined || text === '') return fallback
      try {
        return parse(text)
      } catch (error) {
        problems.push(`${name}: ${(error as Error).message}`)
        return fallback
      }
    },
  }
}

const text: Parse<string> = (value) => value

const port: Parse<number> = (value) => {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535) throw new Error('must be a port, 0 to 65535')
  return Number(value)
}

const count: Parse<number> = (value) => {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new Error('must be a whole number from 1 to 999999999')
  return Number(value)
}

const byteCount: Parse<number> = (value) => {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new Error('must be a number of bytes')
  return Number(value)
}

const url =
  (...protocols: string[]): Parse<string> =>
  (value) => {
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol))
      throw new Error(`must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`)
    return value.replace(/\/$/, '')
  }

const oneOf =
  (...values: string[]): Parse<string> =>
  (value) => {
    if (!values.includes(value)) throw new Error(`must be one of ${values.join(', ')}`)
    return value
  }

const secretKey: Parse<Buffer> = (value) => {
  const key = Buffer.from(value, 'base64')
  if (key.length !== 32) throw new Error('must be 32 bytes in base64')
  return key
}

const email: Parse<string> = (value) => {
  if (!/^[^@\s]+@[^@\s]+$/.test(value)) throw new Error('must be an email address')
  return value
}

/** `me@example.com` or `Name <me@example.com>` */
const sender: Parse<string> = (value) => {
  email(/<(.*)>$/.exec(value)?.[1] ?? value)
  return value
}

const token: Parse<string> = (value) => {
  if (!/^[\x21-\x7e]{16,}$/.test(value)) throw new Error('must have 16 characters or more, without blanks')
  return value
}

const password: Parse<string> = (value) => {
  if (value.length < 8) throw new Error('must have 8 characters or more')
  return value
}

const passphrase: Parse<string> = (value) => {
  if (value.length < 12) throw new Error('must have 12 characters or more')
  return value
}

const list: Parse<string[]> = (value) =>
  value
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

const allowList: Parse<string[]> = (value) => {
  parseAllowRules(list(value))
  return list(value)
}

const isDomain = (name: string) => /^[a-z\d-]+(\.[a-z\d-]+)*$/i.test(name)

const domainList: Parse<string[]> = (value) => {
  const wrong = list(value).find((domain) => !isDomain(domain))
  if (wrong) throw new Error(`${wrong} is no domain, such as example.com`)
  return list(value).map((domain) => domain.toLowerCase())
}

/** A wildcard stands for one label, as in certificates. */
const hostList: Parse<string[]> = (value) => {
  const wrong = list(value).find((name) => isIP(name) === 0 && !isDomain(name.replace(/^\*\./, '')))
  if (wrong)
    throw new Error(`${wrong} is no host name or address, such as gangway.example.com or 192.168.1.5`)
  return list(value).map((name) => name.toLowerCase())
}

/** @throws ConfigurationError with one line for each wrong variable */
export function readConfig(env: Environment): Config {
  const { read, refuseUnknown, problems } = reader(env)
  const config: Config = {
    databaseUrl: read('DATABASE_URL', undefined, url('postgres:', 'postgresql:')),
    dataDir: resolve(read('GANGWAY_DATA_DIR', './data', text)),
    httpHost: read('GANGWAY_HTTP_HOST', '0.0.0.0', text),
    httpPort: read('GANGWAY_HTTP_PORT', 8080, port),
    onboardingPort: read('GANGWAY_ONBOARDING_PORT', undefined, port),
    mqttHost: read('GANGWAY_MQTT_HOST', undefined, text),
    mqttPort: read('GANGWAY_MQTT_PORT', 1883, port),
    mqttsPort: read('GANGWAY_MQTTS_PORT', 8883, port),
    mqttsCertFile: read('GANGWAY_MQTTS_CERT_FILE', undefined, text),
    mqttsKeyFile: read('GANGWAY_MQTTS_KEY_FILE', undefined, text),
    tlsNames: read('GANGWAY_TLS_NAMES', [], hostList),
    publicUrl: read('GANGWAY_PUBLIC_URL', undefined, url('http:', 'https:')),
    secretKey: read('GANGWAY_SECRET_KEY', undefined, secretKey),
    newDatabase: read('GANGWAY_NEW_DATABASE', 'no', oneOf('yes', 'no')) === 'yes',
    newSecretKey: read('GANGWAY_NEW_SECRET_KEY', undefined, secretKey),
    backupPassphrase: read('GANGWAY_BACKUP_PASSPHRASE', undefined, passphrase),
    adminEmail: read('GANGWAY_ADMIN_EMAIL', 'admin@example.com', email),
    adminPassword: read('GANGWAY_ADMIN_PASSWORD', undefined, password),
    smtpUrl: read('GANGWAY_SMTP_URL', undefined, url('smtp:', 'smtps:')),
    mailFrom: read('GANGWAY_MAIL_FROM', undefined, sender),
    mailFromDomains: read('GANGWAY_MAIL_FROM_DOMAINS', [], domainList),
    smsUrl: read('GANGWAY_SMS_URL', undefined, url('http:', 'https:')),
    filesUrl: read('GANGWAY_FILES_URL', undefined, parseS3Url),
    uploadLimit: read('GANGWAY_UPLOAD_LIMIT', 268_435_456, byteCount),
    logLevel: read(
      'GANGWAY_LOG_LEVEL',
      'info',
      oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    ),
    natsUrl: read('GANGWAY_NATS_URL', undefined, url('nats:', 'tls:')),
    outboundAllow: read('GANGWAY_OUTBOUND_ALLOW', [], allowList),
    metricsToken: read('GANGWAY_METRICS_TOKEN', undefined, token),
    rateLimits: {
      standard: read('GANGWAY_RATE_LIMIT_STANDARD', 1000, count),
      enterprise: read('GANGWAY_RATE_LIMIT_ENTERPRISE', 10_000, count),
      dataView: read('GANGWAY_RATE_LIMIT_DATA_VIEW', undefined, count),
    },
    trustProxy: read('GANGWAY_TRUST_PROXY', false, parseTrustedProxies),
    corsOrigins: read('GANGWAY_CORS_ORIGINS', [], (value) => parseCorsOrigins(list(value))),
  }
  refuseUnknown()
  if (Boolean(config.mqttsCertFile) !== Boolean(config.mqttsKeyFile))
    problems.push('GANGWAY_MQTTS_CERT_FILE and GANGWAY_MQTTS_KEY_FILE: set both, or neither')
  if (Boolean(config.smtpUrl) !== Boolean(config.mailFrom))
    problems.push('GANGWAY_SMTP_URL and GANGWAY_MAIL_FROM: set both, or neither')
  if (problems.length > 0)
    throw new ConfigurationError(`Wrong configuration:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  return config
}
