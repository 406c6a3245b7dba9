/** The gateway stores the messages: they gather while others are committed. */
import { commit } from './commit.ts'
import type { Accept, Message, World } from './world.ts'

const GATHER = { items: 250, ms: 5 }
const MAX_ITEMS = 2000

export function playDirect(world: World): Accept {
  const { machine, gateway, load } = world
  const idle = world.backends.map((_, index) => index)
  const work = load.costs.gateway
  let queue: Message[] = []
  let isGathering = false
  let isScheduled = false

  function schedule() {
    if (isScheduled || idle.length === 0 || queue.length === 0) return
    if (idle.length === world.backends.length || queue.length >= GATHER.items) start()
    else if (!isGathering) {
      isGathering = true
      machine.after(GATHER.ms, () => {
        isGathering = false
        if (!isScheduled && idle.length > 0 && queue.length > 0) start()
      })
    }
  }
  function start() {
    isScheduled = true
    gateway.run(work.commit / 2, () => {
      isScheduled = false
      const batch = queue.slice(0, MAX_ITEMS)
      queue = queue.slice(MAX_ITEMS)
      const backend = idle.pop()!
      commit(world, { backend, messages: batch.length }, () => {
        idle.push(backend)
        gateway.run(work.commit / 2 + (work.message * batch.length) / 2, () => {
          world.acknowledge(batch)
          schedule()
        })
      })
      schedule()
    })
  }
  return (messages) => {
    queue.push(...messages)
    schedule()
  }
}
