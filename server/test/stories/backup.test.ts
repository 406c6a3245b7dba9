/** An installation is backed up while its devices publish, and restored into an empty directory. */
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import mqtt from 'mqtt'
import { afterAll, expect, test, vi } from 'vitest'
import { failedStart } from '../harness/failed-start.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { fetchSettings, prepareOnboarding } from '../harness/onboarded-device.ts'
import { adminPassword, type Api, apiAt, logIn } from '../harness/platform.ts'
import { expectStoredOnce, publishNumbers, untilAllAcknowledge } from '../harness/publish-numbers.ts'
import { rounds } from '../harness/rounds.ts'
import { runCommand, startCommand } from '../harness/run-command.ts'
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { temporaryDirectory } from '../harness/temporary-directory.ts'
import { fileForm } from '../harness/uploads.ts'

/** Number of times that the restore is killed. */
const KILLS = rounds(1, 0)
const passphrase = { GANGWAY_BACKUP_PASSPHRASE: 'nine lives of a cat' }
const model = 'dtmi:com:example:Boiler;1'
const mail = await startMailServer()
afterAll(() => mail[Symbol.asyncDispose]())

const startServer = (environment: Record<string, string> = {}) =>
  startServerProcess({ GANGWAY_SMTP_URL: mail.url, GANGWAY_MAIL_FROM: 'gangway@example.com', ...environment })

/** The routing target of a restored installation still has the old address of the server. */
const sameAddresses = ({ endpoints }: ServerProcess) => ({
  GANGWAY_HTTP_PORT: urlPort(endpoints.http),
  GANGWAY_HTTPS_PORT: urlPort(endpoints.https),
  GANGWAY_MQTT_PORT: urlPort(endpoints.mqtt),
  GANGWAY_MQTTS_PORT: urlPort(endpoints.mqtts),
})

const urlPort = (url: string) => new URL(url).port

async function signIn(server: ServerProcess) {
  const api = apiAt(server.endpoints.http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const call: Api = async (method, path, body, options) => {
    const answer = await api(method, path, body, { token, ...options })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer
  }
  return { api, token, call }
}

/** An asset that is bound to the device, and an alarm that sends mail. */
async function makeBoiler(call: Api, deviceId: string) {
  const { id: organizationId } = (await call('GET', '/v1/organizations')).body[0]
  const contents = [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }]
  const definition = { '@context': 'dtmi:dtdl:context;3', '@id': model, '@type': 'Interface', contents }
  await call('POST', '/v1/models', { organizationId, definition })
  await call('POST', '/v1/assets', { id: 'boiler', modelId: model, displayName: 'Boiler', organizationId })
  const remote = { name: 'value', endpointId: `${deviceId}/-/telemetry/temperature` }
  const endpointBindings = [
    { localEndpointId: 'boiler/-/telemetry/temperature', remoteEndpointIds: [remote] },
  ]
  await call('POST', '/v1/assets/boiler/bind', { endpointBindings })
  const condition = JSON.stringify({ '>': [{ var: 'temperature' }, 80] })
  const alarm = (await call('POST', '/v1/alarms', { name: 'Hot', entityTypeId: model, condition })).body
  const email = { active: true, from: '', subject: '{{alarmName}}', template: 'It is {{value}} degrees.' }
  await call('POST', '/v1/notifications', {
    displayName: 'Tell us',
    trigger: { alarmTrigger: [alarm.id] },
    broadcast: true,
    organizationId,
    channels: { email },
  })
}

/** The key is written before the rows. */
async function killHalfway(target: { GANGWAY_DATA_DIR: string }, path: string) {
  const restoring = startCommand(['restore', path], { ...target })
  await vi.waitUntil(() => existsSync(join(target.GANGWAY_DATA_DIR, 'secret.key')), { interval: 2 })
  restoring.kill('SIGKILL')
  expect(await restoring.result).toMatchObject({ code: null, stdout: '' })
  expect(await failedStart(target)).toContain('A restore of this database was interrupted')
}

test('acknowledged messages, files, keys, alarms and jobs exist after a restore into an empty directory', async () => {
  await using restored = await temporaryDirectory()
  await using server = await startServer()
  const { api, token, call } = await signIn(server)
  const { http, mqtt: broker } = server.endpoints
  const onboarding = await prepareOnboarding(api, token, http, Number(urlPort(broker)))
  const [counter, boiler] = [await onboarding.onboard('counter'), await onboarding.onboard('boiler-sensor')]
  await makeBoiler(call, 'boiler-sensor')
  const file = (await call('POST', '/v1/resources/upload', fileForm({ content: 'a picture of a boiler' })))
    .body
  mail.refuses = true
  const sensor = await mqtt.connectAsync(broker, { username: 'boiler-sensor', password: boiler.primaryKey })
  await sensor.publishAsync('devices/boiler-sensor/telemetry', '{"temperature": 90}', { qos: 1 })
  const publisher = publishNumbers(broker, counter, 0)
  await untilAllAcknowledge([publisher])
  const acknowledged = [...publisher.acknowledged]

  const path = join(restored.path, 'today.backup')
  const environment = { GANGWAY_DATA_DIR: server.dataDir, ...passphrase }
  // npm passes the directory in which it was started; relative paths refer to it.
  const backup = await runCommand(['backup', 'today.backup'], { ...environment, INIT_CWD: restored.path })
  expect(backup).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('The backup is complete'),
  })
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const during = publisher.acknowledged.length - acknowledged.length
  expect(during).toBeGreaterThan(0)
  const authority = await readFile(join(server.dataDir, 'tls/ca.crt'), 'utf8')

  const dataDir = join(restored.path, 'data')
  const running = await runCommand(['restore', path], environment)
  expect(running).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^The data directory .* is in use.*\n$/),
  })
  await Promise.all([publisher.stop(), sensor.endAsync()])
  await server.kill('SIGKILL')
  const target = { GANGWAY_DATA_DIR: dataDir, ...passphrase }
  for (let kill = 0; kill < KILLS; kill++) await killHalfway(target, path)
  const restoring = await runCommand(['restore', path], target)
  expect(restoring).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('is restored') })
  expect(await readFile(join(dataDir, 'tls/ca.crt'), 'utf8')).toBe(authority)
  mail.refuses = false

  await using again = await startServer({ GANGWAY_DATA_DIR: dataDir, ...sameAddresses(server) })
  const now = await signIn(again)
  await expectStoredOnce(now.api, now.token, { deviceId: 'counter', acknowledged })
  const client = (await now.call('GET', '/v1/providers/mqtt/clients/counter')).body
  expect(client.connection.connected).toBe(false)
  expect(await fetchSettings(now.api, 'counter', onboarding.bootstrapKey)).toEqual(counter)
  const back = publishNumbers(again.endpoints.mqtt, counter, 1_000_000)
  await untilAllAcknowledge([back])
  await back.stop()
  const [open] = (await now.call('GET', '/v1/alarms/status')).body
  expect(open).toMatchObject({ alarmName: 'Hot', state: 'active_unacknowledged', value: 90 })
  await expect
    .poll(() => mail.mails.map(({ text }) => text))
    .toEqual([expect.stringContaining('It is 90 degrees.')])
  const content = await now.call('GET', `/v1/resources/download/${file.id}`)
  expect(content.body).toBe('a picture of a boiler')
})
