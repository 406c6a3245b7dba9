import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../measure/statistics.ts'
import type { Connection } from './connection.ts'

const PATIENCE_MS = 10_000

/**
 * Open loop: messages are due at fixed times, independent of earlier messages, and each latency counts from the time the
 * message was due. A stall of the server thus counts for all messages that it delays.
 * @returns PUBACK latencies in ms, the generator's own lateness (up to 1 ms, its timer) included
 * @throws if acknowledgements are missing
 */
export async function publishAtRate(connections: Connection[], messagesPerSecond: number, seconds: number) {
  const total = Math.floor(messagesPerSecond * seconds)
  const latencies: number[] = []
  let lost: string | undefined
  const dueOf = connections.map((connection) => {
    const due = new Map<number, number>()
    connection.onLost = (reason) => (lost = reason)
    connection.onPuback = (messageId) => {
      latencies.push(performance.now() - due.get(messageId)!)
      due.delete(messageId)
    }
    return due
  })

  const startMs = performance.now()
  for (let sent = 0; sent < total; await sleep(1)) {
    const wanted = Math.min(total, ((performance.now() - startMs) * messagesPerSecond) / 1000)
    for (; sent < wanted; sent++) {
      const index = sent % connections.length
      dueOf[index]!.set(connections[index]!.sendTelemetry(), startMs + (sent * 1000) / messagesPerSecond)
    }
  }
  for (const untilMs = performance.now() + PATIENCE_MS; latencies.length < total; await sleep(5))
    if (lost || performance.now() > untilMs)
      throw new Error(lost ?? `${total - latencies.length} of ${total} messages were not acknowledged`)
  return { messages: total, p50Ms: percentile(latencies, 50), p99Ms: percentile(latencies, 99) }
}
