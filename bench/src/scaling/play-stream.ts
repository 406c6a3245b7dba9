/** The gateway publishes the batches of each partition one after the other. */
import { askServers } from './ask-servers.ts'
import { playStoreLoops } from './play-store-loops.ts'
import { draw } from './random.ts'
import type { Thread } from './machine.ts'
import type { Accept, Message, World } from './world.ts'

export const PARTITIONS = 64
const MAX_ITEMS = 500

/** @returns a function for each gateway */
export function playStream(world: World): Accept[] {
  const store = playStoreLoops(world, PARTITIONS)
  return world.nodes.gateways.map(({ thread }) => playGateway(world, thread, store))
}

function playGateway(world: World, gateway: Thread, store: ReturnType<typeof playStoreLoops>): Accept {
  const { machine, load, random, batches } = world
  const { gateway: cost, nats } = load.costs
  const queues = Array.from({ length: PARTITIONS }, () => [] as Message[])
  const isUnderWay = Array.from({ length: PARTITIONS }, () => false)

  function schedule(partition: number) {
    if (isUnderWay[partition] || queues[partition]!.length === 0) return
    isUnderWay[partition] = true
    gateway.run(0, () => start(partition))
  }
  function start(partition: number) {
    const batch = queues[partition]!.splice(0, MAX_ITEMS)
    batches.count++
    batches.messages += batch.length
    const half = (cost.batch + cost.message * batch.length) / 2
    gateway.run(half, () =>
      askServers(world, nats.batch / 2 + nats.message * batch.length, () =>
        machine.after(draw(load.publish, random), () => {
          store(partition, batch.length)
          gateway.run(half, () => {
            isUnderWay[partition] = false
            world.acknowledge(gateway, batch)
            schedule(partition)
          })
        }),
      ),
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
