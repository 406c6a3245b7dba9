/** Makes the stream of an installation, or adapts it to the settings. [docs/stream#the-stream] */
import {
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamInfo,
  type StreamUpdateConfig,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { NatsUnusableError } from '../../lib/nats.ts'

export interface StreamSettings {
  name: string
  /** The pattern of all subjects of batches. */
  subject: string
  maxBytes: number
}

/** @param prefix the first tokens of the subjects of the installation */
export const streamName = (prefix: string): string => `GANGWAY_INGEST_${prefix.split('.')[1]}`

/** More than the largest batch: a message of a megabyte with a topic and a reason that are as long as they may be. */
export const MAX_BATCH_BYTES = 1_500_000
/** Where there are three servers, the stream survives the loss of one. */
const REPLICAS = 3

const ERRORS = {
  streamNotFound: 10059,
  noSuitablePeers: 10005,
  replicasNeedCluster: 10074,
  insufficientStorage: 10047,
  sequenceNotFound: 10043,
  deleteFailed: 10057,
}

/** @throws NatsUnusableError */
export function requireUsable({ info }: NatsConnection): void {
  if (!info!.jetstream)
    throw new NatsUnusableError(
      'JetStream is not enabled there, which GANGWAY_INGEST=stream needs ("jetstream {}" in its configuration)',
    )
  if (info!.max_payload < MAX_BATCH_BYTES)
    throw new NatsUnusableError(
      `its max_payload is ${info!.max_payload}, but has to be ${MAX_BATCH_BYTES} or more for GANGWAY_INGEST=stream ("max_payload: 2MB" in its configuration)`,
    )
}

interface Needs {
  nats: NatsConnection
  manager: JetStreamManager
  log: Logger
}

/** @throws NatsUnusableError if the servers do not have so much space */
export async function ensureStream(ctx: Needs, settings: StreamSettings): Promise<StreamInfo> {
  const wanted: Partial<StreamUpdateConfig> = {
    subjects: [settings.subject],
    // A full stream refuses batches, and keeps those that it has.
    discard: DiscardPolicy.New,
    // With other limits NATS would delete batches that are not stored yet.
    max_age: 0,
    max_msgs: -1,
    max_msgs_per_subject: -1,
    allow_direct: true,
  }
  try {
    return await withReplicas(ctx, settings, wanted)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
    throw new NatsUnusableError(
      `JetStream has no ${settings.maxBytes} bytes left for the stream: give it more space, or set GANGWAY_STREAM_BYTES`,
    )
  }
}

const isApiError = (error: unknown, ...codes: number[]): boolean =>
  error instanceof JetStreamApiError && codes.includes(error.code)

/** A cluster looks for servers that have the space. */
const isOutOfSpace = (error: unknown): boolean =>
  isApiError(error, ERRORS.insufficientStorage) ||
  (isApiError(error, ERRORS.noSuitablePeers) && (error as Error).message.includes('insufficient storage'))

export const isStreamNotFound = (error: unknown): boolean => isApiError(error, ERRORS.streamNotFound)

/** Whether a message could not be deleted, since it is not there. */
export const isGone = (error: unknown): boolean =>
  isApiError(error, ERRORS.sequenceNotFound, ERRORS.deleteFailed)

async function withReplicas(
  { nats, manager, log }: Needs,
  { name, maxBytes }: StreamSettings,
  wanted: Partial<StreamUpdateConfig>,
): Promise<StreamInfo> {
  const existing = await findStream(manager, name)
  const max_bytes = existing ? chooseLimit(log, existing, maxBytes) : maxBytes
  const put = (num_replicas: number) =>
    existing
      ? updateStream(manager, existing, { ...wanted, max_bytes, num_replicas })
      : manager.streams.add({
          ...wanted,
          max_bytes,
          name,
          retention: RetentionPolicy.Limits,
          storage: StorageType.File,
          num_replicas,
        })
  // A server without a cluster accepts any number of replicas, and has one.
  if (nats.info!.cluster === undefined) return put(1)
  try {
    return await put(REPLICAS)
  } catch (error) {
    if (!isApiError(error, ERRORS.noSuitablePeers, ERRORS.replicasNeedCluster)) throw error
    const replicas = existing?.config.num_replicas ?? 1
    const info = await put(replicas)
    log.warn(
      { stream: name, replicas, reason: (error as Error).message },
      `the stream of ingest cannot have ${REPLICAS} replicas yet: what it holds is lost with its server`,
    )
    return info
  }
}

/** Some servers of a cluster may have been missing when the stream was made. @throws as long as they are */
export async function raiseReplicas({ nats, manager, log }: Needs, { config }: StreamInfo): Promise<void> {
  if (nats.info?.cluster === undefined || config.num_replicas >= REPLICAS) return
  await manager.streams.update(config.name, { num_replicas: REPLICAS })
  log.info({ stream: config.name, replicas: REPLICAS }, 'the stream of ingest has all its replicas')
}

/**
 * A server of NATS 2.9 deletes the oldest batches of a stream that has more than its new limit (nats-server issue 2589). Gateways
 * may publish meanwhile.
 */
function chooseLimit(log: Logger, { config, state }: StreamInfo, maxBytes: number): number {
  if (maxBytes >= config.max_bytes || state.bytes < maxBytes / 2) return maxBytes
  log.warn(
    { stream: config.name, bytes: state.bytes, limit: config.max_bytes, wanted: maxBytes },
    'the stream of ingest keeps its limit, since it holds too much for a lower one: start again when it holds less than half of GANGWAY_STREAM_BYTES',
  )
  return config.max_bytes
}

async function findStream(manager: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (isStreamNotFound(error)) return undefined
    throw error
  }
}

/** An update that changes nothing would still be agreed upon by all servers. */
function updateStream(
  manager: JetStreamManager,
  { config, ...info }: StreamInfo,
  wanted: Partial<StreamUpdateConfig>,
): Promise<StreamInfo> {
  const isUpToDate = Object.entries(wanted).every(
    ([key, value]) => JSON.stringify(config[key as keyof typeof config]) === JSON.stringify(value),
  )
  return isUpToDate ? Promise.resolve({ config, ...info }) : manager.streams.update(config.name, wanted)
}
