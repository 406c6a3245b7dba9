import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('without variables the settings have their defaults', () => {
  expect(readConfig({})).toMatchObject({
    databaseUrl: undefined,
    httpPort: 8080,
    onboardingPort: undefined,
    mqttPort: 1883,
    mqttsPort: 8883,
    adminEmail: 'admin@example.com',
    outboundAllow: [],
  })
})

test('GANGWAY_OUTBOUND_ALLOW is a list', () => {
  expect(readConfig({ GANGWAY_OUTBOUND_ALLOW: '' }).outboundAllow).toEqual([])
  expect(readConfig({ GANGWAY_OUTBOUND_ALLOW: 'loopback, 10.0.0.0/8' }).outboundAllow).toEqual([
    'loopback',
    '10.0.0.0/8',
  ])
})

test('GANGWAY_MAP_TILES needs the words of its owner', () => {
  const address = 'https://tiles.example.com/{z}/{x}/{y}.png'
  const tiles = { GANGWAY_MAP_TILES: address, GANGWAY_MAP_ATTRIBUTION: '© Owner' }
  expect(readConfig(tiles)).toMatchObject({
    mapTiles: { address, origin: 'https://tiles.example.com' },
    mapAttribution: '© Owner',
  })
  expect(() => readConfig({ GANGWAY_MAP_TILES: address })).toThrow('GANGWAY_MAP_ATTRIBUTION: set both')
  expect(() => readConfig({ ...tiles, GANGWAY_MAP_TILES: 'http://x.example/{z}' })).toThrow(
    'GANGWAY_MAP_TILES: ',
  )
})

test('GANGWAY_MQTT_RATE has packets and bytes, or is off', () => {
  const readRate = (text: string) => readConfig({ GANGWAY_MQTT_RATE: text }).mqttRate
  expect(readRate('')).toEqual({ packets: 10_000, bytes: 16 * 1024 * 1024 })
  expect(readRate('500 packets, 256 KiB')).toEqual({ packets: 500, bytes: 256 * 1024 })
  expect(readRate('1 packets, 100 bytes')).toEqual({ packets: 1, bytes: 100 })
  expect(readRate('off')).toBeUndefined()
  for (const text of ['500', '500 packets', '0 packets, 1 MiB', '5 packets, 1 GiB', '16 MiB, 5 packets'])
    expect(() => readRate(text)).toThrow('GANGWAY_MQTT_RATE: must be like')
})

test('settings of NATS have an effect only with its URL, and a certificate needs its key', () => {
  const file = '/etc/gangway/nats.pem'
  for (const variable of ['GANGWAY_NATS_CA_FILE', 'GANGWAY_NATS_CREDENTIALS_FILE'])
    expect(() => readConfig({ [variable]: file })).toThrow(
      `${variable}: has an effect only with GANGWAY_NATS_URL`,
    )
  const natsUrl = { GANGWAY_NATS_URL: 'tls://nats.example.com' }
  expect(() => readConfig({ ...natsUrl, GANGWAY_NATS_CERT_FILE: file })).toThrow(
    'GANGWAY_NATS_CERT_FILE and GANGWAY_NATS_KEY_FILE: set both, or neither',
  )
  expect(readConfig({ ...natsUrl, GANGWAY_NATS_CA_FILE: file }).natsCaFile).toBe(file)
})

test('GANGWAY_DRAIN_SECONDS is a few seconds, none by default', () => {
  const readSeconds = (text: string) => readConfig({ GANGWAY_DRAIN_SECONDS: text }).drainSeconds
  expect([readSeconds(''), readSeconds('0'), readSeconds('10')]).toEqual([0, 0, 10])
  for (const text of ['11', '-1', '1.5', '6s', '1e1'])
    expect(() => readSeconds(text)).toThrow(
      'GANGWAY_DRAIN_SECONDS: must be a whole number of seconds, 0 to 10',
    )
})

test('a read replica is one of the database at DATABASE_URL', () => {
  const replica = { GANGWAY_DATABASE_READ_URL: 'postgresql://gangway@replica/gangway' }
  expect(() => readConfig(replica)).toThrow('GANGWAY_DATABASE_READ_URL: has an effect only with DATABASE_URL')
  const database = { DATABASE_URL: 'postgresql://gangway@primary/gangway' }
  expect(readConfig({ ...database, ...replica }).databaseReadUrl).toBe(replica.GANGWAY_DATABASE_READ_URL)
  expect(() => readConfig({ ...database, GANGWAY_DATABASE_READ_URL: 'replica' })).toThrow(
    'GANGWAY_DATABASE_READ_URL: must be a URL',
  )
})

test('all wrong values are refused together, each by name', () => {
  const wrong = {
    DATABASE_URL: 'mysql://x',
    GANGWAY_HTTP_PORT: '80a',
    GANGWAY_MQTT_PORT: '65536',
    GANGWAY_SECRET_KEY: randomBytes(31).toString('base64'),
    GANGWAY_ADMIN_EMAIL: 'nobody',
    GANGWAY_ADMIN_PASSWORD: 'short',
    GANGWAY_LOG_LEVEL: 'loud',
    GANGWAY_SMTP_URL: 'mail.example.com',
    GANGWAY_MAIL_FROM: 'Nobody <nobody>',
    GANGWAY_SMS_URL: 'sms.example.com',
    GANGWAY_MQTTS_CERT_FILE: '/cert.pem',
  }
  let message = ''
  try {
    readConfig(wrong)
  } catch (error) {
    message = (error as Error).message
  }
  for (const name of Object.keys(wrong)) expect(message).toContain(name)
  expect(message).not.toContain(wrong.GANGWAY_ADMIN_PASSWORD)
})

test.each([
  '10.0.0.0/99',
  'y/99',
  'http://x',
  'fd00::/129',
  '10.0.0',
  '10.0.0.256',
  '*.example.com',
  'x:80',
  '[::1]',
  '10.0.0.0/8/8',
  'a b',
])('an entry of GANGWAY_OUTBOUND_ALLOW that is neither a name nor an address is refused: %s', (entry) => {
  expect(() => readConfig({ GANGWAY_OUTBOUND_ALLOW: `loopback,${entry}` })).toThrow(
    `GANGWAY_OUTBOUND_ALLOW: ${entry} is no`,
  )
})

test('an unknown variable is refused with the nearest known one', () => {
  expect(() => readConfig({ GANGWAY_HTTP_PROT: '80' })).toThrow(
    'GANGWAY_HTTP_PROT: there is no such variable; did you mean GANGWAY_HTTP_PORT?',
  )
  expect(() => readConfig({ GANGWAY_HTTPPORT: '80' })).toThrow('did you mean GANGWAY_HTTP_PORT?')
  expect(() => readConfig({ GANGWAY_COLOUR: '' })).toThrow('GANGWAY_COLOUR: there is no such variable')
  expect(readConfig({ PATH: '/bin', GANGWAY: 'http://localhost' }).httpPort).toBe(8080)
})

test.each([
  ['GANGWAY_METRICS_TOKEN', 'short'],
  ['GANGWAY_METRICS_TOKEN', 'a token with blanks in it'],
  ['GANGWAY_MAIL_FROM_DOMAINS', 'example.com, me@example.com'],
  ['GANGWAY_NEW_DATABASE', 'true'],
  ['GANGWAY_TLS_NAMES', 'gangway.example.com, https://iot.example.com'],
  ['GANGWAY_TLS_NAMES', '192.168.1.300/24'],
  ['GANGWAY_INGEST', 'nats'],
  ['GANGWAY_INGEST', 'stream'],
  ['GANGWAY_STREAM_BYTES', '1000000'],
])('%s: %s is refused', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name}: `)
})
