import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('nothing set gives the defaults of the contract, §11', () => {
  expect(readConfig({})).toMatchObject({
    databaseUrl: undefined,
    httpPort: 8080,
    onboardingPort: undefined,
    mqttPort: 1883,
    mqttsPort: 8883,
    adminEmail: 'admin@example.com',
    outboundAllow: ['loopback'],
  })
})

test('an empty GANGWAY_OUTBOUND_ALLOW closes it', () => {
  expect(readConfig({ GANGWAY_OUTBOUND_ALLOW: '' }).outboundAllow).toEqual([])
  expect(readConfig({ GANGWAY_OUTBOUND_ALLOW: 'loopback, 10.0.0.0/8' }).outboundAllow).toEqual([
    'loopback',
    '10.0.0.0/8',
  ])
})

test('every wrong value is refused with its name, all at once', () => {
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
