/** The gateway publishes the batches of each partition one after the other; an ingest node stores them round after round. */
import { commit } from './commit.ts'
import { draw } from './random.ts'
import type { Accept, Message, World } from './world.ts'

const PARTITIONS = 64
const MAX_ITEMS = 500
const GATHER = { items: 250, ms: 20 }
const MAX_ROUND = 2000

export function playStream(world: World): Accept {
  const { machine, gateway, load, random } = world
  const [leader, ...followers] = Array.from({ length: load.replicas }, () => machine.thread())
  const { costs } = load
  const store = playStoreLoops(world)
  const queues = Array.from({ length: PARTITIONS }, () => [] as Message[])
  const isUnderWay = Array.from({ length: PARTITIONS }, () => false)

  function schedule(partition: number) {
    if (isUnderWay[partition] || queues[partition]!.length === 0) return
    isUnderWay[partition] = true
    gateway.run(costs.gateway.batch / 2, () => publish(partition))
  }
  function publish(partition: number) {
    const batch = queues[partition]!.splice(0, MAX_ITEMS)
    world.batches.count++
    world.batches.messages += batch.length
    const work = (costs.nats.batch + costs.nats.message * batch.length) / load.replicas
    for (const follower of followers) follower.run(work, () => {})
    leader!.run(work, () =>
      machine.after(draw(load.publish, random), () => {
        store(partition, batch.length)
        gateway.run(costs.gateway.batch / 2 + (costs.gateway.message * batch.length) / 2, () => {
          isUnderWay[partition] = false
          world.acknowledge(batch)
          schedule(partition)
        })
      }),
    )
  }
  return (messages) => {
    for (const message of messages) {
      const partition = message.device % PARTITIONS
      queues[partition]!.push(message)
      schedule(partition)
    }
  }
}

interface StoreLoop {
  /** The messages of each batch that waits. */
  waiting: number[]
  isBusy: boolean
}

/** @returns a function that takes a batch of a partition */
function playStoreLoops(world: World): (partition: number, messages: number) => void {
  const { machine, backends, load } = world
  const ingest = machine.thread()
  const { message, batch, commit: perCommit } = load.costs.ingest
  const loops: StoreLoop[] = backends.map(() => ({ waiting: [], isBusy: false }))

  function playRound(index: number) {
    const loop = loops[index]!
    if (loop.isBusy || loop.waiting.length === 0) return
    loop.isBusy = true
    const { batches, messages } = takeRound(loop)
    ingest.run(perCommit / 2 + batch * batches + (message * messages) / 2, () =>
      commit(world, { backend: index, messages, batches }, () =>
        ingest.run(perCommit / 2 + (message * messages) / 2, () =>
          machine.after(messages < GATHER.items ? GATHER.ms : 0, () => {
            loop.isBusy = false
            playRound(index)
          }),
        ),
      ),
    )
  }
  return (partition, messages) => {
    const index = partition % loops.length
    loops[index]!.waiting.push(messages)
    playRound(index)
  }
}

function takeRound({ waiting }: StoreLoop) {
  let messages = 0
  let batches = 0
  while (batches < waiting.length && messages < MAX_ROUND) messages += waiting[batches++]!
  waiting.splice(0, batches)
  return { batches, messages }
}
