/** Push clients in one process: they count messages, measure their delay, and acknowledge. */
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../measure/statistics.ts'
import { openWebSocket } from '../websocket/client.ts'
import { ignoreInterrupt, serve } from './serve.ts'

const PROTOCOL = 'json.reliable.webpubsub.azure.v1'
/** The interval of the public client. */
const ACKNOWLEDGE_EVERY_MS = 1000
/** Parsing each message would measure this program. */
const SEQUENCE_ID = /^\{"sequenceId":(\d+)/
const VALUE = /"value":(\d+)/

/** The delay of each message since the last call of `receive`. */
const micros: number[] = []

const handlers = {
  async connect(port: number, count: number) {
    const open = Array.from({ length: count }, () => connect(port))
    await Promise.all(open)
  },

  /** Resolves when this number of messages has arrived since the last call. @returns their delays */
  async receive(count: number) {
    while (micros.length < count) await sleep(1)
    const late = micros.splice(0)
    return { p50Ms: percentile(late, 50) / 1000, p99Ms: percentile(late, 99) / 1000 }
  },
}

export type PushWatchersProgram = typeof handlers

async function connect(port: number): Promise<void> {
  let sequenceId = 0
  const client = await openWebSocket(port, PROTOCOL, (text) => {
    const value = VALUE.exec(text)?.[1]
    if (value === undefined) return
    micros.push(Number(process.hrtime.bigint() / 1000n) - Number(value))
    sequenceId = Math.max(sequenceId, Number(SEQUENCE_ID.exec(text)?.[1]))
  })
  setInterval(() => {
    if (sequenceId > 0) client.send(JSON.stringify({ type: 'sequenceAck', sequenceId }))
  }, ACKNOWLEDGE_EVERY_MS)
}

ignoreInterrupt()
serve(handlers)
