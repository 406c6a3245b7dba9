/** Ingest nodes read what waits in their partitions, and commit it round after round. */
import { commit } from './commit.ts'
import type { Thread } from './machine.ts'
import { playLooks } from './play-looks.ts'
import type { StoringNode, World } from './world.ts'

const GATHER = { items: 250, ms: 20 }
const MAX_ROUND = 2000
const MAX_TRACKS = 16
/** The devices, BEGIN, INSERT, the positions, COMMIT. */
const TRIPS = 5

/** The batches of a partition, counted by how far they are. */
export interface Track {
  /** The messages of each batch that is not read yet. */
  waiting: number[]
  /** Batches that are read and not committed, and those that are committed and not deleted. */
  read: number
  stored: number
  /** The number of the round in which it was read last. */
  round: number
}

/** @returns a function that takes a batch that a gateway has published */
export function playStoreLoops(
  world: World,
  partitions: number,
): (partition: number, messages: number) => void {
  const { ingest } = world.nodes
  const tracks: Track[] = Array.from({ length: partitions }, () => ({
    waiting: [],
    read: 0,
    stored: 0,
    round: 0,
  }))
  const share = <T>(all: T[], among: number, index: number) => all.filter((_, at) => at % among === index)
  const wakes = ingest.map((node, index) => {
    const own = share(tracks, ingest.length, index)
    playLooks(world, node.thread, own)
    return node.backends.map((_, backend) =>
      startLoop(world, { ...node, backend }, share(own, node.backends.length, backend)),
    )
  })
  return (partition, messages) => {
    tracks[partition]!.waiting.push(messages)
    const index = partition % ingest.length
    const loops = wakes[index]!
    // The notice of the gateway.
    ingest[index]!.thread.run(0, loops[Math.floor(partition / ingest.length) % loops.length]!)
  }
}

interface LoopNode extends StoringNode {
  backend: number
}

/** @returns a function that begins a round if none is under way */
function startLoop(world: World, node: LoopNode, tracks: Track[]): () => void {
  const { machine, load } = world
  const { thread } = node
  const { message, commit: us } = load.costs.ingest
  let isBusy = false
  let rounds = 0

  function playRound() {
    const ready = tracks.filter(({ waiting }) => waiting.length > 0)
    if (isBusy || ready.length === 0) return
    ready.sort((one, other) => one.round - other.round)
    ready.length = Math.min(ready.length, MAX_TRACKS)
    isBusy = true
    rounds++
    let reading = ready.length
    let messages = 0
    for (const track of ready) {
      track.round = rounds
      readTrack(world, { thread, track, limit: MAX_ROUND / ready.length }, (read) => {
        messages += read
        if (--reading === 0) store(ready, messages)
      })
    }
  }
  function store(ready: Track[], messages: number) {
    const half = (message * messages) / 2
    thread.run(half, () =>
      commit(world, { ...node, us, messages, trips: TRIPS }, () =>
        thread.run(half, () => {
          for (const track of ready) {
            track.stored += track.read
            track.read = 0
          }
          machine.after(messages < GATHER.items ? GATHER.ms : 0, () => thread.run(0, endRound))
        }),
      ),
    )
  }
  function endRound() {
    isBusy = false
    playRound()
  }
  return playRound
}

interface Reading {
  thread: Thread
  track: Track
  /** Of messages; the last batch may pass it. */
  limit: number
}

/** One batch after the other. */
function readTrack(
  { servers, load }: World,
  { thread, track, limit }: Reading,
  done: (messages: number) => void,
): void {
  let messages = 0
  const readNext = () => {
    const found = messages < limit ? track.waiting.shift() : undefined
    if (found === undefined) return done(messages)
    messages += found
    track.read++
    servers.at(-1)!.run(load.costs.nats.read, () => thread.run(load.costs.ingest.batch / 2, readNext))
  }
  readNext()
}
