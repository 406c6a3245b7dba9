/**
 * kill -9 of the server while devices enroll: a device that repeats its request gets the certificate that was issued for
 * it, and none is issued twice. [docs/certificates]
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startHoldingProxy } from '../harness/holding-proxy.ts'
import { adminPassword, apiAt, logIn } from '../harness/platform.ts'
import { rounds } from '../harness/rounds.ts'
import { startServerProcess } from '../harness/server-process.ts'
import { makeCertificateGroup } from './certificates/certificate-group.ts'
import { makeRequest } from './certificates/certificate-request.ts'
import { type EstMessage, readIssued, sendEst } from './certificates/est-request.ts'

const ROUNDS = rounds(10, 2)
const DEVICES = 8

test(
  `kill -9 while devices enroll, ${ROUNDS} rounds: the repeated request gets the same certificate`,
  { timeout: 1_800_000 },
  async () => {
    await using server = await startServerProcess()
    const { group, ca, listSerialNumbers } = await prepareGroup(server)
    for (let round = 0; round < ROUNDS; round++) {
      const ids = Array.from({ length: DEVICES }, (_, index) => `pump-${round}-${index}`)
      for (const deviceId of ids) await group.addDevice(deviceId)
      const requests = await Promise.all(ids.map((deviceId) => makeRequest({ deviceId })))
      const request = (index: number) =>
        sendEst(`${group.estUrl}/simpleenroll`, ca, {
          body: requests[index]!.der.toString('base64'),
          basic: `${ids[index]}:${group.bootstrapKey}`,
        })

      const interrupted = Promise.allSettled(ids.map((_, index) => request(index)))
      await sleep(round * 10)
      await server.kill('SIGKILL')
      const before = await interrupted
      await server.start()

      for (const [index, deviceId] of ids.entries()) {
        const issued = readIssued(await request(index))
        const outcome = before[index]!
        if (outcome.status === 'fulfilled') expect(issued.raw).toEqual(readIssued(outcome.value).raw)
        expect(await listSerialNumbers(deviceId)).toEqual([issued.serialNumber.toLowerCase()])
      }
    }
  },
)

test(
  'kill -9 after a certificate was issued and before its device receives the answer: the repeated request gets it',
  { timeout: 1_800_000 },
  async () => {
    await using server = await startServerProcess()
    const { group, ca, listSerialNumbers } = await prepareGroup(server)
    const deviceId = 'pump'
    await group.addDevice(deviceId)

    /** Kills the server once the certificate is committed; nothing of its answer has reached the device. */
    const interrupt = async (operation: string, message: EstMessage) => {
      const known = await listSerialNumbers(deviceId)
      await using proxy = await startHoldingProxy(Number(new URL(group.estUrl).port))
      const url = new URL(`${group.estUrl}/${operation}`)
      url.port = `${proxy.port}`
      const outcome = sendEst(url.href, ca, { ...message, onConnected: proxy.hold }).then(
        () => 'answered',
        () => 'interrupted',
      )
      await expect.poll(() => listSerialNumbers(deviceId)).toHaveLength(known.length + 1)
      await server.kill('SIGKILL')
      expect(await outcome).toBe('interrupted')
      await server.start()
      const issued = readIssued(await sendEst(`${group.estUrl}/${operation}`, ca, message))
      expect(await listSerialNumbers(deviceId)).toEqual([issued.serialNumber.toLowerCase(), ...known])
      return issued
    }

    const first = await makeRequest({ deviceId })
    const enrolled = await interrupt('simpleenroll', {
      body: first.der.toString('base64'),
      basic: `${deviceId}:${group.bootstrapKey}`,
    })
    const second = await makeRequest({ deviceId })
    await interrupt('simplereenroll', {
      body: second.der.toString('base64'),
      cert: enrolled.toString(),
      key: first.key,
    })
  },
)

async function prepareGroup({ endpoints, dataDir }: Awaited<ReturnType<typeof startServerProcess>>) {
  const { http, https, mqtt } = endpoints
  const api = apiAt(http)
  const token = await logIn(api, 'admin@example.com', adminPassword)
  const group = await makeCertificateGroup(api, token, {
    http,
    https: https.replace('127.0.0.1', 'localhost'),
    mqttPort: Number(new URL(mqtt).port),
  })
  return {
    group,
    ca: await readFile(join(dataDir, 'tls', 'ca.crt')),
    /** The newest first. */
    listSerialNumbers: async (deviceId: string): Promise<string[]> => {
      const path = `/api/enrollment-groups/${group.groupId}/devices/${deviceId}/certificates`
      const { body } = await api('GET', path, undefined, { token })
      return body.items.map((item: { serial_number: string }) => item.serial_number)
    },
  }
}
