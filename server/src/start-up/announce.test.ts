import { randomBytes } from 'node:crypto'
import { connectAsync } from 'mqtt'
import { expect, test, vi } from 'vitest'
import { testDatabase } from '../../test/harness/database.ts'
import { startServerProcess } from '../../test/harness/server-process.ts'
import type { Config } from '../config.ts'
import { parseRoles } from '../lib/roles.ts'
import { clearTextWarnings, dataLines } from './announce.ts'

const variables = (httpHost: string, mqttHost: string | undefined, roles = 'gateway,ingest,api,worker') =>
  clearTextWarnings({ httpHost, mqttHost, roles: parseRoles(roles) }).flatMap(
    (line) => /GANGWAY_\w+/.exec(line)?.[0] ?? [],
  )

test('each unencrypted port that others can reach is named, with its variable', () => {
  expect(variables('0.0.0.0', undefined)).toEqual(['GANGWAY_HTTP_HOST', 'GANGWAY_MQTT_HOST'])
  expect(variables('::', '192.168.1.5')).toEqual(['GANGWAY_HTTP_HOST', 'GANGWAY_MQTT_HOST'])
  expect(variables('127.0.0.1', '0.0.0.0')).toEqual(['GANGWAY_MQTT_HOST'])
  expect(variables('gangway.example', '127.5.5.5')).toEqual(['GANGWAY_HTTP_HOST'])
  for (const host of ['127.0.0.1', '::1', 'localhost', '::ffff:127.0.0.1'])
    expect(variables(host, host)).toEqual([])
  expect(variables('0.0.0.0', undefined, 'api,worker')).toEqual(['GANGWAY_HTTP_HOST'])
})

test('the banner names the data directory, also that of a database that had to be stored elsewhere', () => {
  const lines = (databaseUrl: string | undefined, ...storageDirectories: string[]) =>
    dataLines({
      config: { dataDir: '/srv/data', databaseUrl } as Config,
      storageDirectories: ['/srv/data', ...storageDirectories],
    }).map((line) => line.trim())
  expect(lines(undefined)).toEqual(['Data         /srv/data', 'Back up      npm run backup -- FILE'])
  expect(lines(undefined, '/var/lib/gangway/data-1f')[1]).toBe(
    'Database     /var/lib/gangway/data-1f, since PostgreSQL has no access to the data directory',
  )
  expect(lines('postgres://db/gangway')[1]).toBe('Database     at DATABASE_URL')
})

test('the log has the reason for refusing a device, and a device can download the CA to trust', async () => {
  await using database = await testDatabase()
  await using server = await startServerProcess({
    DATABASE_URL: database.url,
    GANGWAY_SECRET_KEY: randomBytes(32).toString('base64'),
  })
  const { http, onboarding, mqtt, mqtts } = server.endpoints
  expect(server.output()).toContain(`Console      ${http}/console/\n`)
  expect(server.output()).toContain(`curl -o ca.crt ${http}/v1/ca.crt`)
  expect(server.output()).toContain(`MQTT, Web    ${http.replace('http:', 'ws:')}/mqtt\n`)
  const authority = await fetch(`${http}/v1/ca.crt`)
  expect(authority.headers.get('content-type')).toBe('application/x-pem-file')
  const ca = await authority.text()

  const credentials = { username: 'pump-9', password: 'wrong', reconnectPeriod: 0 }
  await expect(connectAsync(mqtt, credentials)).rejects.toThrow('Bad username or password')
  // The certificate is trusted: what is wrong is the password.
  await expect(connectAsync(mqtts, { ...credentials, username: 'pump-8', ca })).rejects.toThrow(
    'Bad username or password',
  )
  const authorization = `Basic ${Buffer.from('pump-7:wrong').toString('base64')}`
  expect((await fetch(`${onboarding}/get_settings`, { headers: { authorization } })).status).toBe(401)
  for (const [device, reason] of [
    ['pump-9', 'unknown_device'],
    ['pump-8', 'unknown_device'],
    ['pump-7', 'unauthorized'],
  ])
    await vi.waitUntil(() =>
      logLines(server.output()).some((line) => line.device === device && line.reason === reason),
    )
})

const logLines = (output: string): Record<string, unknown>[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line))

test('the start-up banner names the host, and GANGWAY_MQTT_HOST changes it', async () => {
  await using database = await testDatabase()
  const environment = { DATABASE_URL: database.url, GANGWAY_SECRET_KEY: randomBytes(32).toString('base64') }
  {
    await using server = await startServerProcess(environment)
    expect(server.output()).toContain('Clear text: MQTT listens on every address')
    expect(server.output()).not.toContain('Clear text: HTTP')
  }
  await using server = await startServerProcess({ ...environment, GANGWAY_MQTT_HOST: '127.0.0.1' })
  expect(server.output()).not.toContain('Clear text')
})
