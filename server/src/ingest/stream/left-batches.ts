/** A stream that is not used any more may have messages that devices were acknowledged for. */
import { jetstreamManager } from '@nats-io/jetstream'
import type { Context } from '../../context.ts'
import { closeNats, connectToNats, type NatsSettings, type Patience } from '../../lib/nats.ts'
import { readSubjectPrefix } from '../../nodes/installation.ts'
import { isStreamNotFound, streamName } from './ensure-stream.ts'

/** Logs how much waits in a stream of an earlier setting. @throws NatsUnusableError, StoppedError */
export async function warnOfLeftBatches(
  { db, pool, log }: Pick<Context, 'db' | 'pool' | 'log'>,
  settings: NatsSettings,
  patience: Patience,
): Promise<void> {
  const used = await db.selectFrom('ingest_partitions').select('lane').limit(1).executeTakeFirst()
  if (!used) return
  const name = streamName(await readSubjectPrefix(pool))
  const nats = await connectToNats(settings, { ...patience, log, name: 'start' })
  try {
    const manager = await jetstreamManager(nats)
    const { state } = await manager.streams.info(name)
    if (state.messages > 0)
      log.error(
        { stream: name, batches: state.messages, bytes: state.bytes },
        'messages that devices were acknowledged for wait in the stream: start with GANGWAY_INGEST=stream until it is empty',
      )
  } catch (error) {
    if (!isStreamNotFound(error))
      log.warn({ err: error, stream: name }, 'what is left in the stream of ingest is not known')
  } finally {
    await closeNats(nats)
  }
}
