import type { Connection } from './connection.ts'

/** Time after the last message until missing acknowledgements are an error. */
const PATIENCE_MS = 30_000

/**
 * Closed loop: each connection keeps `window` messages unacknowledged, for `seconds`, then waits for the rest.
 * @returns messages acknowledged, and how many a second from the first send to the last acknowledgement
 * @throws when a connection is lost or acknowledgements stay away
 */
export function publishInWindow(connections: Connection[], window: number, seconds: number) {
  return new Promise<{ messages: number; messagesPerSecond: number }>((resolve, reject) => {
    const startedMs = performance.now()
    let isOver = false
    let sent = 0
    let acknowledged = 0
    const send = (connection: Connection) => {
      connection.sendTelemetry()
      sent++
    }
    const end = setTimeout(() => (isOver = true), seconds * 1000)
    const giveUp = setTimeout(
      () => reject(new Error(`${sent - acknowledged} of ${sent} messages were not acknowledged`)),
      seconds * 1000 + PATIENCE_MS,
    )
    const finish = () => {
      clearTimeout(giveUp)
      const elapsedSeconds = (performance.now() - startedMs) / 1000
      resolve({ messages: acknowledged, messagesPerSecond: acknowledged / elapsedSeconds })
    }
    for (const connection of connections) {
      connection.onLost = (reason) => {
        clearTimeout(end)
        clearTimeout(giveUp)
        reject(new Error(`a connection was lost while publishing: ${reason}`))
      }
      connection.onPuback = () => {
        acknowledged++
        if (!isOver) send(connection)
        else if (acknowledged === sent) finish()
      }
      connection.cork()
      for (let message = 0; message < window; message++) send(connection)
      connection.uncork()
    }
  })
}
