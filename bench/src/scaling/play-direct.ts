/** The gateway stores the messages: they gather while others are committed. */
import { commit } from './commit.ts'
import type { Accept, Message, StoringNode, World } from './world.ts'

const GATHER = { items: 250, ms: 5 }
const MAX_ITEMS = 2000
/** BEGIN, INSERT, COMMIT. */
const TRIPS = 3

export function playDirect(world: World, node: StoringNode): Accept {
  const { machine, load } = world
  const { thread, backends } = node
  const idle = backends.map((_, index) => index)
  const { message, commit: perCommit } = load.costs.gateway
  let queue: Message[] = []
  let isScheduled = false
  let gathering = 0

  function schedule() {
    if (isScheduled || idle.length === 0 || queue.length === 0) return
    if (idle.length === backends.length || queue.length >= GATHER.items) return scheduleNow()
    if (gathering > 0) return
    const own = (gathering = machine.nowMs() + 1)
    machine.after(GATHER.ms, () => void (gathering === own && scheduleNow()))
  }
  function scheduleNow() {
    gathering = 0
    isScheduled = true
    // As in the gateway, the batch takes all messages that arrive before the next turn of the event loop.
    thread.run(0, start)
  }
  function start() {
    isScheduled = false
    const batch = queue.slice(0, MAX_ITEMS)
    queue = queue.slice(MAX_ITEMS)
    const backend = idle.pop()!
    const half = (message * batch.length) / 2
    thread.run(half, () =>
      commit(world, { ...node, us: perCommit, backend, messages: batch.length, trips: TRIPS }, () =>
        thread.run(half, () => {
          idle.push(backend)
          world.acknowledge(thread, batch)
          schedule()
        }),
      ),
    )
    schedule()
  }
  return (messages) => {
    for (const one of messages) queue.push(one)
    schedule()
  }
}
