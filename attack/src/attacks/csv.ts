import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'
import { sampleSpan, storeTexts } from '../stored-samples.ts'
import type { Tenant } from '../tenant.ts'

const clientId = 'csv'

export const csv: Attack = {
  name: 'csv',
  about: 'sixty exports of long texts whose readers stop after the first bytes',
  prepare: ({ attacker }) => storeTexts(attacker, clientId, 80),
  async run({ attacker }) {
    const stalled = await repeated(60, () => startExport(attacker))
    await sleep(5000)
    for (const { socket } of stalled) socket.destroy()
    return countedText(stalled.map(({ status }) => status))
  },
}

/** Reads only the status line. */
function startExport(tenant: Tenant): Promise<{ socket: Socket; status: string }> {
  const { hostname, port } = new URL(tenant.url)
  const body = JSON.stringify(sampleSpan(clientId, 'text'))
  const headers = [
    'POST /v1/timeseries/get HTTP/1.1',
    `host: ${hostname}:${port}`,
    `authorization: ${tenant.headers().authorization}`,
    'accept: text/csv',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${headers.join('\r\n')}\r\n\r\n${body}`),
    )
    socket.once('data', (chunk) => {
      socket.pause()
      resolve({ socket, status: chunk.toString('latin1').split(' ')[1] ?? 'nothing' })
    })
    socket.on('error', reject)
  })
}
