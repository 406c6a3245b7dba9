import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness/database.ts'
import { startServerProcess } from '../../test/harness/server-process.ts'
import { clearTextWarnings } from './announce.ts'

const variables = (httpHost: string, mqttHost: string | undefined) =>
  clearTextWarnings({ httpHost, mqttHost }).flatMap((line) => /GANGWAY_\w+/.exec(line)?.[0] ?? [])

test('each port in clear text that others reach is named, with the variable that changes it', () => {
  expect(variables('0.0.0.0', undefined)).toEqual(['GANGWAY_HTTP_HOST', 'GANGWAY_MQTT_HOST'])
  expect(variables('::', '192.168.1.5')).toEqual(['GANGWAY_HTTP_HOST', 'GANGWAY_MQTT_HOST'])
  expect(variables('127.0.0.1', '0.0.0.0')).toEqual(['GANGWAY_MQTT_HOST'])
  expect(variables('gangway.example', '127.5.5.5')).toEqual(['GANGWAY_HTTP_HOST'])
  for (const host of ['127.0.0.1', '::1', 'localhost', '::ffff:127.0.0.1'])
    expect(variables(host, host)).toEqual([])
})

test('the start-up banner says it, and GANGWAY_MQTT_HOST changes it', async () => {
  await using database = await testDatabase()
  const environment = { DATABASE_URL: database.url }
  {
    await using server = await startServerProcess(environment)
    expect(server.output()).toContain('Clear text: MQTT listens on every address')
    expect(server.output()).not.toContain('Clear text: HTTP')
  }
  await using server = await startServerProcess({ ...environment, GANGWAY_MQTT_HOST: '127.0.0.1' })
  expect(server.output()).not.toContain('Clear text')
})
