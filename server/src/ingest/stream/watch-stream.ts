/** Looks at the stream each second: whether it answers, how full it is, and which partitions have batches. */
import { ensureStream, isStreamNotFound, MAX_BATCH_BYTES, type StreamSettings } from './ensure-stream.ts'
import { formatPlace, parsePlace } from './lanes.ts'
import { setState, type StreamConnection, type StreamContext } from './state.ts'

const LOOK_EVERY_MS = 1000

export function watchStream(
  ctx: Pick<StreamContext, 'log'>,
  stream: StreamConnection,
  settings: StreamSettings,
): AsyncDisposable {
  const look = async (): Promise<boolean> => {
    const startedMs = performance.now()
    try {
      await readInfo(ctx, stream, settings)
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

async function readInfo(
  ctx: Pick<StreamContext, 'log'>,
  stream: StreamConnection,
  { name, subject }: StreamSettings,
): Promise<void> {
  const lookedAt = new Date()
  const info = await stream.manager.streams.info(name, { subjects_filter: subject })
  Object.assign(stream, { info, lookedAt })
  stream.answeredMs = performance.now()
  stream.batches = new Map(
    Object.entries(info.state.subjects ?? {}).flatMap(([batchSubject, batches]) => {
      const place = parsePlace(batchSubject)
      return place ? [[formatPlace(place), batches]] : []
    }),
  )
  const hasRoom = info.state.bytes + MAX_BATCH_BYTES <= info.config.max_bytes
  if (stream.state === 'away' || hasRoom) setState(ctx, stream, 'ok')
}

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
