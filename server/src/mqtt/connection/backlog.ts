/**
 * Back-pressure. The number and size of messages that wait for their commit are limited, for each connection and for all
 * together. At the limit the gateway stops reading, and the devices' TCP windows fill. Afterwards the connection that has
 * waited longest is read first.
 */
import type { Gauge } from 'prom-client'
import type { Connection } from '../state.ts'

const MAX_MESSAGES = 20_000
const MAX_BYTES = 64 * 1024 * 1024
const MAX_MESSAGES_EACH = 2000
const MAX_BYTES_EACH = 4 * 1024 * 1024

export interface Backlog {
  enter(connection: Connection, bytes: number): void
  leave(connection: Connection, bytes: number): void
  /** Whether more may be read from the connection; if not, it is resumed once that changes. */
  mayRead(connection: Connection): boolean
  forget(connection: Connection): void
  /** Updates the metric. */
  report(): void
}

export function createBacklog(gauge: Gauge): Backlog {
  let messages = 0
  let bytes = 0
  /** The stopped connections, in the order in which they were stopped. */
  const stopped = new Set<Connection>()
  let isWaking = false

  const hasRoom = (connection: Connection) =>
    messages < MAX_MESSAGES &&
    bytes < MAX_BYTES &&
    connection.inbound.waitingMessages < MAX_MESSAGES_EACH &&
    connection.inbound.waitingBytes < MAX_BYTES_EACH

  const wake = () => {
    isWaking = false
    // Connections that are at their own limit keep their place.
    for (const connection of stopped) {
      if (messages >= MAX_MESSAGES || bytes >= MAX_BYTES) return
      if (!hasRoom(connection)) continue
      stopped.delete(connection)
      connection.resume()
    }
  }

  gauge.set(0)
  return {
    enter(connection, size) {
      messages++
      bytes += size
      connection.inbound.waitingMessages++
      connection.inbound.waitingBytes += size
    },
    leave(connection, size) {
      messages--
      bytes -= size
      connection.inbound.waitingMessages--
      connection.inbound.waitingBytes -= size
      if (stopped.size === 0 || isWaking) return
      isWaking = true
      setImmediate(wake)
    },
    mayRead(connection) {
      if (hasRoom(connection)) return true
      stopped.add(connection)
      return false
    },
    forget: (connection) => void stopped.delete(connection),
    report: () => gauge.set(messages),
  }
}
