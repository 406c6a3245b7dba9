/** Push clients in one process: they count messages, measure their delay, and acknowledge. */
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../measure/statistics.ts'
import { openWebSocket, type WebSocketClient } from '../websocket/client.ts'
import { ignoreInterrupt, serve } from './serve.ts'

const PROTOCOL = 'json.reliable.webpubsub.azure.v1'
/** The interval of the public client. */
const ACKNOWLEDGE_EVERY_MS = 1000
/** Parsing each message would measure this program. */
const SEQUENCE_ID = /^\{"sequenceId":(\d+)/
const VALUE = /"value":(\d+)/
const CONNECTION_ID = /"connectionId":"([^"]+)"/
/** Time after which missing messages are an error. */
const PATIENCE_MS = 60_000

/** The delay of each message since the last call of `receive`. */
const micros: number[] = []

const handlers = {
  /** @returns the ids of the connections, one for each address */
  connect: (urls: string[]) => Promise.all(urls.map((url) => connect(url))),

  /**
   * Resolves when this number of messages has arrived since the last call.
   * @returns their delays @throws if some are missing
   */
  async receive(count: number) {
    const untilMs = performance.now() + PATIENCE_MS
    while (micros.length < count) {
      if (performance.now() > untilMs) throw new Error(`${micros.length} of ${count} messages came`)
      await sleep(1)
    }
    const late = micros.splice(0)
    return { p50Ms: percentile(late, 50) / 1000, p99Ms: percentile(late, 99) / 1000 }
  },
}

export type PushWatchersProgram = typeof handlers

/** @returns the id of the connection, which its first message has */
async function connect(url: string): Promise<string> {
  let sequenceId = 0
  let client: WebSocketClient | undefined
  const id = await new Promise<string>((resolve, reject) => {
    const read = (text: string) => {
      const connectionId = CONNECTION_ID.exec(text)?.[1]
      if (connectionId !== undefined) return resolve(connectionId)
      const value = VALUE.exec(text)?.[1]
      if (value === undefined) return
      micros.push(Number(process.hrtime.bigint() / 1000n) - Number(value))
      sequenceId = Math.max(sequenceId, Number(SEQUENCE_ID.exec(text)?.[1]))
    }
    openWebSocket(url, PROTOCOL, read).then((opened) => (client = opened), reject)
  })
  setInterval(() => {
    if (sequenceId > 0) client?.send(JSON.stringify({ type: 'sequenceAck', sequenceId }))
  }, ACKNOWLEDGE_EVERY_MS)
  return id
}

ignoreInterrupt()
serve(handlers)
