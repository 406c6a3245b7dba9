import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../../test/harness/gateway.ts'

const run = promisify(execFile)

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())
beforeEach(async () => {
  await gateway.ctx.attempts.flush()
  await gateway.ctx.db.deleteFrom('onboarding_attempts').execute()
})

const portOf = (name: 'mqtt' | 'mqtts') =>
  Number(new URL(gateway.ctx.endpoints[name]!.replace(/^mqtts?/, 'http')).port)

async function listHandshakes() {
  await gateway.ctx.attempts.flush()
  const rows = await gateway.ctx.db.selectFrom('onboarding_attempts').selectAll().execute()
  return rows.map(({ kind, device_id, tenant_id, outcome, address, steps }) =>
    [kind, device_id, tenant_id, outcome, address, ...steps.map(({ code }) => code)].join(' '),
  )
}
const entry = (code: string) => [`tls_handshake   refused 127.0.0.1 ${code}`]

test('clear text on the TLS port is recorded [docs/onboarding#decision-trace]', async () => {
  const socket = connectTcp(portOf('mqtts'), '127.0.0.1').on('error', () => {})
  socket.write(Buffer.from([0x10, 12, 0, 4, 77, 81, 84, 84, 4, 2, 0, 60, 0, 0]))
  await once(socket.resume(), 'close')
  await expect.poll(listHandshakes).toEqual(entry('tls_expected'))
})

test('TLS on the clear text port is recorded', async () => {
  const socket = connectTls({ port: portOf('mqtt'), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'error').catch(() => {})
  await expect.poll(listHandshakes).toEqual(entry('tls_not_expected'))
})

test('an alert of a client that does not trust the certificate is recorded', async () => {
  const address = `127.0.0.1:${portOf('mqtts')}`
  await run('openssl', ['s_client', '-connect', address, '-verify_return_error']).catch(() => {})
  await expect.poll(listHandshakes).toEqual(entry('server_certificate_refused'))
})
