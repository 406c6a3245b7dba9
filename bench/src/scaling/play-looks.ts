/** Each second an ingest node looks at the stream, and deletes what it has stored: one partition after the other. */
import { askServers } from './ask-servers.ts'
import type { Thread } from './machine.ts'
import type { Track } from './play-store-loops.ts'
import type { World } from './world.ts'

const LOOK_EVERY_MS = 1000

export function playLooks(world: World, node: Thread, tracks: Track[]): void {
  const { machine, load, purges } = world
  let isLooking = false
  const deleteNext = (left: Track[]) => {
    const track = left.pop()
    if (!track) return void (isLooking = false)
    purges.count++
    track.stored = 0
    const next = () => node.run(0, () => deleteNext(left))
    node.run(0, () => askServers(world, load.costs.nats.purge, next))
  }
  const look = () => {
    if (!isLooking) {
      isLooking = true
      deleteNext(tracks.filter(({ stored }) => stored > 0))
    }
    if (machine.nowMs() < load.seconds * 1000) machine.after(LOOK_EVERY_MS, look)
  }
  machine.after(LOOK_EVERY_MS, look)
}
