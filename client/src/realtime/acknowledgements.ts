/** Acknowledges messages, because the server keeps a limited number of them, and recognizes those that it repeats. */
import type { Timing } from './timing.ts'

const AFTER_MESSAGES = 200

export interface Acknowledgements {
  /** @returns whether the message is new */
  receive(sequenceId: number): boolean
  stop(): void
}

/** @param received the last message that was received over an earlier socket of the connection */
export function startAcknowledging(
  send: (message: object) => void,
  { acknowledgeMs }: Timing,
  received: number,
): Acknowledgements {
  let acknowledged = received
  let timer: ReturnType<typeof setTimeout> | undefined
  const report = () => {
    clearTimeout(timer)
    timer = undefined
    acknowledged = received
    send({ type: 'sequenceAck', sequenceId: received })
  }
  return {
    receive: (sequenceId) => {
      timer ??= setTimeout(report, acknowledgeMs)
      if (sequenceId <= received) return false
      received = sequenceId
      if (received - acknowledged >= AFTER_MESSAGES) report()
      return true
    },
    stop: () => clearTimeout(timer),
  }
}
