/**
 * Back-pressure. The number and size of messages that wait for their commit are limited, for each connection and for all
 * together. At the limit the gateway stops reading, and the devices' TCP windows fill. Afterwards the connection that has
 * waited longest is read first.
 */
import type { Gauge } from 'prom-client'
import type { LimitName } from '../limits/limit-advice.ts'
import type { ServerLimits } from './limits.ts'
import type { Connection } from '../state.ts'

export const MAX_UNCOMMITTED_MESSAGES = 2000
export const MAX_UNCOMMITTED_BYTES = 4 * 1024 * 1024

export interface Backlog {
  enter(connection: Connection, bytes: number): void
  leave(connection: Connection, bytes: number): void
  /** Counts a packet like a message until its work is done, so that a device cannot collect any number of them. */
  during(connection: Connection, bytes: number, work: Promise<void>): void
  /** @returns the limit that forbids to read more from the connection, which is resumed once that changes */
  findFullLimit(connection: Connection): LimitName | undefined
  forget(connection: Connection): void
  /** Updates the metric. */
  report(): void
}

/** @param limits those of all connections together */
export function createBacklog(
  gauge: Gauge,
  limits: Pick<ServerLimits, 'uncommittedMessages' | 'uncommittedBytes'>,
): Backlog {
  let messages = 0
  let bytes = 0
  /** The stopped connections, in the order in which they were stopped. */
  const stopped = new Set<Connection>()
  let isWaking = false

  const findFull = ({ inbound }: Connection): LimitName | undefined => {
    if (inbound.waitingMessages >= MAX_UNCOMMITTED_MESSAGES) return 'uncommitted_messages'
    if (inbound.waitingBytes >= MAX_UNCOMMITTED_BYTES) return 'uncommitted_bytes'
    if (messages >= limits.uncommittedMessages) return 'uncommitted_messages_of_all'
    return bytes >= limits.uncommittedBytes ? 'uncommitted_bytes_of_all' : undefined
  }

  const wake = () => {
    isWaking = false
    // Connections that are at their own limit keep their place.
    for (const connection of stopped) {
      if (messages >= limits.uncommittedMessages || bytes >= limits.uncommittedBytes) return
      if (findFull(connection)) continue
      stopped.delete(connection)
      connection.resume()
    }
  }

  const enter = (connection: Connection, size: number) => {
    messages++
    bytes += size
    connection.inbound.waitingMessages++
    connection.inbound.waitingBytes += size
  }
  const leave = (connection: Connection, size: number) => {
    messages--
    bytes -= size
    connection.inbound.waitingMessages--
    connection.inbound.waitingBytes -= size
    if (stopped.size === 0 || isWaking) return
    isWaking = true
    setImmediate(wake)
  }

  gauge.set(0)
  return {
    enter,
    leave,
    during(connection, size, work) {
      enter(connection, size)
      void work.finally(() => leave(connection, size))
    },
    findFullLimit(connection) {
      const limit = findFull(connection)
      if (limit) stopped.add(connection)
      return limit
    },
    forget: (connection) => void stopped.delete(connection),
    report: () => gauge.set(messages),
  }
}
