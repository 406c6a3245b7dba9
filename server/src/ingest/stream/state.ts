/** What the parts of the stream share. The functions of this folder take it as their argument. */
import type { JetStreamClient, JetStreamManager, StreamInfo } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { Context } from '../../context.ts'
import type { NatsSettings } from '../../lib/nats.ts'
import type { StoreContext } from '../batch.ts'
import { formatPlace, type Place } from './lanes.ts'

/** `full`: it refuses batches until some are stored. `away`: it does not answer. */
export type StreamState = 'ok' | 'full' | 'away'

export interface StreamConnection {
  nats: NatsConnection
  manager: JetStreamManager
  publisher: JetStreamClient
  /** The first tokens of all subjects. */
  prefix: string
  name: string
  /** The number of partitions of each lane, which never changes. */
  partitions: number
  /** State of the stream when it was read last. */
  state: StreamState
  /** When the stream answered last: a monotonic time. */
  answeredMs: number
  info: StreamInfo
  /** When the last look that was answered began: everything that came before is in `batches`. */
  lookedAt: Date
  /** Batches in the stream, by `formatPlace`; those that were just stored may be among them. */
  batches: Map<string, number>
  /** Called after each look at a stream that answers. */
  onLook(): Promise<void>
}

export type StreamContext = StoreContext & Pick<Context, 'parsers'> & { config: NatsSettings }

/** Distinguishes the stream from one that had the same name before it was deleted. */
export const identify = ({ config, created }: StreamInfo): string => `${config.name} ${created}`

export const batchSubject = ({ prefix }: StreamConnection, place: Place): string =>
  `${prefix}.ingest.${formatPlace(place)}`

/** The subject on which gateways tell the sequence numbers of new batches. */
export const noticeSubject = ({ prefix }: StreamConnection, place: Place): string =>
  `${prefix}.ingested.${formatPlace(place)}`

export const allNotices = ({ prefix }: StreamConnection): string => `${prefix}.ingested.*.*`

/** @param error why it is not `ok` */
export function setState(
  { log }: Pick<StreamContext, 'log'>,
  stream: StreamConnection,
  state: StreamState,
  error?: unknown,
): void {
  if (state === stream.state) return
  stream.state = state
  if (state === 'ok') log.info({ stream: stream.name }, 'the stream of ingest accepts messages again')
  else
    log.warn(
      { stream: stream.name, reason: (error as Error | undefined)?.message },
      state === 'full'
        ? 'the stream of ingest is full: devices wait'
        : 'the stream of ingest does not answer: devices wait',
    )
}
