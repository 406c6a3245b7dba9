/** Each second an ingest node looks at the stream, and deletes each batch that it has stored. */
import { askServers } from './ask-servers.ts'
import type { Thread } from './machine.ts'
import type { Track } from './play-store-loops.ts'
import type { World } from './world.ts'

const LOOK_EVERY_MS = 1000
const chooseLanes = (stored: number) => Math.min(64, Math.ceil(stored / 250))

export function playLooks(world: World, node: Thread, tracks: Track[]): void {
  const { machine, load } = world
  const { nats, ingest } = load.costs
  let left = 0
  let underWay = 0
  const deleteNext = () => {
    if (left === 0) return
    left--
    underWay++
    node.run(ingest.batch / 2, () =>
      askServers(world, nats.batch / 2, () =>
        node.run(0, () => {
          underWay--
          deleteNext()
        }),
      ),
    )
  }
  const look = () => {
    if (underWay === 0) {
      for (const track of tracks) {
        left += track.stored
        track.stored = 0
      }
      for (let lanes = chooseLanes(left); lanes > 0; lanes--) deleteNext()
    }
    if (machine.nowMs() < load.seconds * 1000 || tracks.some(hasBatches)) machine.after(LOOK_EVERY_MS, look)
  }
  machine.after(LOOK_EVERY_MS, look)
}

const hasBatches = ({ waiting, read, stored }: Track) => waiting.length + read + stored > 0
