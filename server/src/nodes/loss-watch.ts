/**
 * Notices that messages of other nodes were lost. Each sender numbers its messages, and repeats the number of the last one
 * in its heartbeats. A sender that is silent without having left was killed, perhaps between a commit and its message, or
 * is cut off.
 */
export interface LossWatch {
  /**
   * @param number of the message; in a heartbeat that of the last message
   * @returns whether messages of the sender were lost before
   */
  receive(sender: string, number: number, options: { isHeartbeat: boolean }): boolean
  /** The sender has published its last message. */
  leave(sender: string): void
  /** Forgets senders that are silent. @returns whether there are any */
  forgetSilent(): boolean
  /** This node did not receive messages for a while: the next number of each sender is accepted. */
  skip(): void
}

interface Sender {
  /** Undefined if any number may follow. */
  number: number | undefined
  heardAtMs: number
}

export function createLossWatch(silentMs: number): LossWatch {
  const senders = new Map<string, Sender>()
  return {
    receive(sender, number, { isHeartbeat }) {
      const known = senders.get(sender)
      senders.set(sender, { number, heardAtMs: performance.now() })
      const previous = known ? known.number : 0
      return previous !== undefined && number !== (isHeartbeat ? previous : previous + 1)
    },
    leave: (sender) => void senders.delete(sender),
    forgetSilent() {
      const earliestMs = performance.now() - silentMs
      const silent = [...senders].filter(([, { heardAtMs }]) => heardAtMs < earliestMs)
      for (const [sender] of silent) senders.delete(sender)
      return silent.length > 0
    },
    skip() {
      const heardAtMs = performance.now()
      for (const sender of senders.keys()) senders.set(sender, { number: undefined, heardAtMs })
    },
  }
}
