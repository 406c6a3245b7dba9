/** Looks at the stream each second: whether it answers, how full it is, and which partitions have batches. */
import {
  ensureStream,
  isStreamNotFound,
  MAX_BATCH_BYTES,
  raiseReplicas,
  type StreamSettings,
} from './ensure-stream.ts'
import { formatPlace, parsePlace } from './lanes.ts'
import { batchSubject, setState, type StreamConnection, type StreamContext } from './state.ts'

const LOOK_EVERY_MS = 1000
/** Between two tries to give the stream more replicas. */
const RAISE_EVERY_LOOKS = 10

export function watchStream(
  ctx: Pick<StreamContext, 'log'>,
  stream: StreamConnection,
  settings: StreamSettings,
): AsyncDisposable {
  let looks = 0
  let hasForeign = false
  const look = async (): Promise<boolean> => {
    const startedMs = performance.now()
    try {
      const foreign = await readInfo(ctx, stream, settings)
      if (foreign.length > 0 && !hasForeign) reportForeign(ctx, stream, foreign)
      hasForeign = foreign.length > 0
      if (++looks % RAISE_EVERY_LOOKS === 0)
        await raiseReplicas({ ...ctx, ...stream }, stream.info).catch(() => {})
      return true
    } catch (error) {
      // A look that began before the stream was back ends late.
      if (stream.answeredMs < startedMs) setState(ctx, stream, 'away', error)
      if (isStreamNotFound(error)) await makeAgain(ctx, stream, settings)
      return false
    }
  }
  let looking: Promise<void> | undefined
  const timer = setInterval(() => {
    looking ??= look()
      .then((isAnswered) => (isAnswered ? stream.onLook() : undefined))
      .finally(() => (looking = undefined))
  }, LOOK_EVERY_MS)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

/** @returns subjects with messages that no node reads */
async function readInfo(
  ctx: Pick<StreamContext, 'log'>,
  stream: StreamConnection,
  { name, subject }: StreamSettings,
): Promise<string[]> {
  const lookedAt = new Date()
  const info = await stream.manager.streams.info(name, { subjects_filter: subject })
  Object.assign(stream, { info, lookedAt })
  stream.answeredMs = performance.now()
  const foreign: string[] = []
  stream.batches = new Map()
  for (const [found, batches] of Object.entries(info.state.subjects ?? {})) {
    const place = parsePlace(found)
    if (place && place.partition < stream.partitions && found === batchSubject(stream, place))
      stream.batches.set(formatPlace(place), batches)
    else foreign.push(found)
  }
  const hasRoom = info.state.bytes + MAX_BATCH_BYTES <= info.config.max_bytes
  if (stream.state === 'away' || hasRoom) setState(ctx, stream, 'ok')
  return foreign
}

const reportForeign = (
  { log }: Pick<StreamContext, 'log'>,
  { name }: StreamConnection,
  foreign: string[],
): void =>
  log.error(
    { stream: name, subjects: foreign.slice(0, 10), count: foreign.length },
    'the stream of ingest has messages of another program: no node reads these subjects, and they take space until somebody deletes them',
  )

async function makeAgain(
  { log }: Pick<StreamContext, 'log'>,
  { nats, manager, name }: StreamConnection,
  settings: StreamSettings,
): Promise<void> {
  log.error({ stream: name }, 'the stream of ingest was deleted; it is made again, empty')
  await ensureStream({ nats, manager, log }, settings).catch((error: unknown) =>
    log.warn({ err: error, stream: name }, 'the stream of ingest cannot be made again yet'),
  )
}
