/** Stores on this node what is in its partitions of the stream. [docs/stream#partitions] */
import type { Subscription } from '@nats-io/transport-node'
import { inLanes } from '../../lib/in-lanes.ts'
import { isGone } from './ensure-stream.ts'
import { formatPlace, LANES, parsePlace } from './lanes.ts'
import {
  claimShare,
  type Held,
  leaveIngest,
  listHeld,
  LEASE_SECONDS,
  releasePartitions,
} from './partitions.ts'
import { listOpenings } from './session-openings.ts'
import { startStoreLoop, type StoreLoop } from './store-loop.ts'
import { allNotices, identify, type StreamConnection, type StreamContext } from './state.ts'
import { createPartitionMetrics } from './stream-metrics.ts'
import { createTrack, findServer, type Track } from './tracks.ts'

export interface Consumer extends AsyncDisposable {
  /** Returns how long messages have waited for a commit that fails; 0 where none waits. */
  longestWaitMs(): number
}

/** Commits of telemetry that may be under way at once, as without a stream. */
const TELEMETRY_LOOPS = 4
const BALANCE_EVERY_MS = 2000
/**
 * Batches that are deleted at a time. What gateways publish waits behind them, since a server of NATS does one after the
 * other; but with few, a stream of small batches grows faster than it is emptied.
 */
const chooseDeleteLanes = (stored: number): number => Math.min(64, Math.ceil(stored / 250))

interface Node {
  ctx: StreamContext
  stream: StreamConnection
  /** By `formatPlace`. */
  tracks: Map<string, Track>
  loops: StoreLoop[]
  /** The stream that the positions of the tracks are in: see `identify`. */
  claimed: string
  /** Resolves when partitions of which this node has too many are released. */
  releasing: Promise<void> | undefined
  /** Resolves when the batches that were stored at a look at the stream are deleted. */
  deleting: Promise<void> | undefined
  isStopping: boolean
}

/** Must be called after this node joined, since the others take the partitions of a node without its lock. */
export async function startConsumer(ctx: StreamContext, stream: StreamConnection): Promise<Consumer> {
  const tracks = new Map<string, Track>()
  const node: Node = {
    ctx,
    stream,
    tracks,
    loops: startLoops(ctx, stream, tracks),
    claimed: '',
    releasing: undefined,
    deleting: undefined,
    isStopping: false,
  }
  createPartitionMetrics(ctx.metrics.registry, stream, tracks)
  const notices = stream.nats.subscribe(allNotices(stream), {
    callback: (error, message) =>
      void (error || receiveNotice(node, message.subject, Number(message.string()))),
  })
  let balancing: Promise<void> | undefined
  const balance = () => {
    balancing ??= balanceNow(node)
      .catch((error: unknown) => ctx.log.debug({ err: error }, 'partitions of ingest cannot be shared out'))
      .finally(() => (balancing = undefined))
    return balancing
  }
  await balance()
  const timer = setInterval(balance, BALANCE_EVERY_MS)
  stream.onLook = () => followLook(node)
  return {
    longestWaitMs: () => Math.max(...node.loops.map((loop) => loop.longestWaitMs())),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      stream.onLook = async () => {}
      node.isStopping = true
      await balancing
      await node.releasing
      await node.deleting
      await stop(node, notices)
    },
  }
}

const startLoops = (ctx: StreamContext, stream: StreamConnection, tracks: Map<string, Track>): StoreLoop[] =>
  LANES.flatMap((lane) => {
    const count = lane === 'telemetry' ? TELEMETRY_LOOPS : 1
    return Array.from({ length: count }, (_, index) =>
      startStoreLoop(ctx, stream, { lane, tracks, isOwn: ({ partition }) => partition % count === index }),
    )
  })

function receiveNotice({ tracks, loops }: Node, subject: string, sequence: number): void {
  const place = parsePlace(subject)
  const track = place && tracks.get(formatPlace(place))
  if (!track || !Number.isSafeInteger(sequence)) return
  track.noticed = Math.max(track.noticed, sequence)
  for (const loop of loops) loop.wake(track)
}

const wakeAll = (loops: StoreLoop[]) => {
  for (const loop of loops) loop.wake()
}

/** Takes and gives up partitions, so that each node has an even share. */
async function balanceNow(node: Node): Promise<void> {
  const { ctx, stream, tracks, loops } = node
  const { db, nodes, log } = ctx
  if (performance.now() - stream.answeredMs > LEASE_SECONDS * 1000) return giveUpPartitions(node)
  const claimed = identify(stream.info)
  const { surplus, restarted } = await claimShare(db, nodes.id, claimed)
  if (restarted.length > 0)
    log.warn({ partitions: restarted }, 'the stream of ingest was made again; its partitions begin again')
  const held = (await listHeld(db, nodes.id)).filter(({ partition }) => !surplus.includes(partition))
  const taken = held.filter((one) => tracks.get(formatPlace(one))?.fence !== one.fence)
  await learnOpenings(node, [...new Set(taken.map(({ partition }) => partition))])
  follow(tracks, held, findServer(stream))
  node.claimed = claimed
  if (surplus.length > 0)
    node.releasing ??= releaseAfterRounds(node, surplus).finally(() => (node.releasing = undefined))
  await rereadLost(node)
  wakeAll(loops)
}

/** A former owner may have stored a message that its device sent again, and the first try may come only now. */
async function learnOpenings({ ctx, loops }: Node, partitions: number[]): Promise<void> {
  if (partitions.length === 0) return
  const openings = await listOpenings(ctx.db, partitions)
  for (const loop of loops) loop.learnOpenings(openings)
}

/** Another node may reach the stream. This one takes its share again once it does. */
async function giveUpPartitions(node: Node): Promise<void> {
  const { ctx, stream, tracks } = node
  if (tracks.size > 0)
    ctx.log.warn({ stream: stream.name }, 'the stream of ingest does not answer; its partitions are released')
  tracks.clear()
  await leaveIngest(ctx.db, ctx.nodes.id)
}

/** A long commit does not keep this node from renewing its lease meanwhile. */
async function releaseAfterRounds({ ctx, loops }: Node, partitions: number[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop.roundEnded()))
  await releasePartitions(ctx.db, ctx.nodes.id, partitions).catch((error: unknown) =>
    ctx.log.debug({ err: error }, 'partitions of ingest are released later'),
  )
}

/** Partitions that this node held before keep their position, unless it is connected to another NATS server. */
function follow(tracks: Map<string, Track>, held: Held[], server: string): void {
  const places = new Map(held.map((one) => [formatPlace(one), one]))
  for (const [name, track] of tracks)
    if (places.get(name)?.fence !== track.fence || track.server !== server) tracks.delete(name)
  for (const [name, one] of places) if (!tracks.has(name)) tracks.set(name, createTrack(one, server))
}

/**
 * Servers that lost their power may have lost the end of the stream, and give the same numbers again. Without a new
 * connection that shows while the stream ends before what was read. [docs/stream#what-is-lost]
 */
async function rereadLost({ ctx, stream, tracks }: Node): Promise<void> {
  const before = [...tracks].map(([name, track]) => ({ name, track, readFrom: track.readFrom }))
  const { state } = await stream.manager.streams.info(stream.name)
  const lost = before.filter(({ readFrom }) => readFrom > state.last_seq + 1)
  if (lost.length === 0) return
  ctx.log.error(
    { partitions: lost.map(({ name }) => name) },
    'the stream of ingest lost its end; what it still has is read again',
  )
  for (const { name, track } of lost)
    if (tracks.get(name) === track) tracks.set(name, createTrack(track, findServer(stream)))
}

/** Finds batches whose notices were lost, and deletes those that are stored. */
async function followLook(node: Node): Promise<void> {
  const { ctx, stream, tracks, loops, claimed } = node
  // The positions are in a stream that was deleted.
  if (identify(stream.info) !== claimed) return tracks.clear()
  const waiting = [...tracks].flatMap(([name, track]) => (stream.batches.get(name) ? [track] : []))
  for (const track of waiting) track.mayHaveMore = true
  wakeAll(loops)
  // A look must not wait for the deletion of a long backlog.
  node.deleting ??= deleteStored(node, waiting)
    .catch((error: unknown) =>
      ctx.log.warn({ err: error, stream: stream.name }, 'batches that are stored cannot be deleted'),
    )
    .finally(() => (node.deleting = undefined))
}

/**
 * Deletes each batch by itself: a server of NATS 2.9 that is started again repeats a purge of some subjects for all of them, and
 * loses what is not stored (nats-server issue 4196).
 */
async function deleteStored(node: Node, tracks: Track[]): Promise<void> {
  const { stream } = node
  const stored = tracks.flatMap((track) => [...track.stored].map((sequence) => ({ track, sequence })))
  const mayBegin = () => !node.isStopping
  const lanes = chooseDeleteLanes(stored.length)
  await inLanes(stored, { lanes, mayBegin }, async ({ track, sequence }) => {
    // Another server may have given the number to another batch.
    if (findServer(stream) !== track.server) return
    await stream.manager.streams.deleteMessage(stream.name, sequence, false).catch((error: unknown) => {
      if (!isGone(error)) throw error
    })
    track.stored.delete(sequence)
  })
}

/** Batches that are being stored are committed before the partitions are given to other nodes. */
async function stop(node: Node, notices: Subscription): Promise<void> {
  const { ctx, loops } = node
  notices.unsubscribe()
  await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()))
  // Without the database, the partitions are free once the lock of this node is.
  await leaveIngest(ctx.db, ctx.nodes.id).catch((error: unknown) =>
    ctx.log.warn({ reason: (error as Error).message }, 'the partitions of ingest could not be released'),
  )
}
