/** All limits that apply to a device, for its operator. [docs/mqtt#limits] */
import type { Config } from '../../config.ts'
import { MAX_NAME_LENGTH } from '../../ingest/json-object.ts'
import { MAX_SIGNALS } from '../../ingest/signal-limit.ts'
import { MAX_REPORTED_BYTES } from '../../ingest/store-reported.ts'
import { MAX_JSON_DEPTH } from '../../lib/json-limits.ts'
import { METHOD_BODY_LIMIT } from '../../providers/methods/invocation.ts'
import { MAX_DESIRED_BYTES } from '../../providers/twin/set-desired.ts'
import { MAX_UNCOMMITTED_BYTES, MAX_UNCOMMITTED_MESSAGES } from '../connection/backlog.ts'
import {
  MAX_OTHER_BYTES,
  MAX_PAYLOAD_BYTES,
  MAX_QUEUED_BYTES,
  MAX_QUEUED_MESSAGES,
  MAX_RETAINED_BYTES,
  MAX_RETAINED_MESSAGES,
  MAX_SESSION_EXPIRY_SECONDS,
  MAX_SESSIONS_OF_DEVICE,
  MAX_STORED_SESSIONS_OF_DEVICE,
  MAX_UNSENT_BYTES,
  RECEIVE_MAXIMUM,
  serverLimits,
  SIGN_IN_TIMEOUT_MS,
  STALLED_MS,
  TOPIC_ALIAS_MAXIMUM,
} from '../connection/limits.ts'
import { MAX_SUBSCRIPTIONS } from '../sessions/handle-subscribe.ts'
import { MAX_TOPIC_LEVELS } from '../topics.ts'
import type { LimitName } from './limit-advice.ts'

export const limitUnits = [
  'bytes',
  'characters',
  'connections',
  'levels',
  'messages',
  'packets',
  'seconds',
  'series',
  'sessions',
  'signals',
  'subscriptions',
  'topics',
] as const
export type LimitUnit = (typeof limitUnits)[number]

/** Limits without a ledger: the client's record, its dead letters or the caller's answer say what exceeded them. */
type OtherLimit =
  | 'sign_in_seconds'
  | 'stalled_seconds'
  | 'session_expiry_seconds'
  | 'retained_bytes'
  | 'sign_ins'
  | 'sign_ins_of_address'
  | 'signals'
  | 'series'
  | 'name_characters'
  | 'value_levels'
  | 'reported_bytes'
  | 'desired_bytes'
  | 'method_bytes'

export interface LimitDescription {
  limit: LimitName | OtherLimit
  /** Null where the setting is off, or where the device or the sender of a message chooses it. */
  value: number | null
  unit: LimitUnit
  description: string
}

type LimitSettings = Pick<Config, 'mqttRate' | 'mqttConnectionsPerAddress' | 'seriesLimit'>

export const describeLimits = (config: LimitSettings): LimitDescription[] =>
  Object.entries(allLimits(config)).map(([limit, [value, unit, description]]) => ({
    limit: limit as LimitName | OtherLimit,
    value,
    unit,
    description,
  }))

const allLimits = ({
  mqttRate,
  mqttConnectionsPerAddress,
  seriesLimit,
}: LimitSettings): Record<
  LimitName | OtherLimit,
  [LimitDescription['value'], LimitUnit, LimitDescription['description']]
> => ({
  message_bytes: [MAX_PAYLOAD_BYTES, 'bytes', 'Payload of a message; one more ends the connection'],
  packet_bytes: [MAX_OTHER_BYTES, 'bytes', 'Any other packet; a larger one ends the connection'],
  topic_levels: [MAX_TOPIC_LEVELS, 'levels', 'Levels of a topic; one more ends the connection'],
  signals: [MAX_SIGNALS, 'signals', 'Signals of a message; more are the dead letter `too_many_signals`'],
  series: [
    seriesLimit,
    'series',
    'Names of signals and properties that the device has ever sent; a message with more is the dead letter `too_many_series`',
  ],
  name_characters: [
    MAX_NAME_LENGTH,
    'characters',
    'Name of a signal or property; longer is the dead letter `bad_name`',
  ],
  value_levels: [MAX_JSON_DEPTH, 'levels', 'Depth of a value; deeper is the dead letter `bad_value`'],
  reported_bytes: [
    MAX_REPORTED_BYTES,
    'bytes',
    'Reported properties together, as JSON; more are the dead letter `twin_too_large`',
  ],
  desired_bytes: [
    MAX_DESIRED_BYTES,
    'bytes',
    'Desired properties together, as JSON; more are refused to the caller',
  ],
  method_bytes: [
    METHOD_BODY_LIMIT,
    'bytes',
    'Payload of a direct method, about; more are refused to the caller',
  ],
  packets_per_second: [
    mqttRate?.packets ?? null,
    'packets',
    'Packets of the device in a second, over all its connections to a server; more are refused on MQTT 5 and else delayed',
  ],
  bytes_per_second: [
    mqttRate?.bytes ?? null,
    'bytes',
    'Bytes of the device in a second, over all its connections to a server; more are refused on MQTT 5 and else delayed',
  ],
  receive_maximum: [
    RECEIVE_MAXIMUM,
    'messages',
    'Unacknowledged messages of a connection with MQTT 5; one more ends it',
  ],
  topic_alias_maximum: [
    TOPIC_ALIAS_MAXIMUM,
    'topics',
    'Topic aliases of a connection with MQTT 5; another one ends it',
  ],
  uncommitted_messages: [
    MAX_UNCOMMITTED_MESSAGES,
    'messages',
    'Messages of a connection that are not stored yet; then it is read no further until some are',
  ],
  uncommitted_bytes: [MAX_UNCOMMITTED_BYTES, 'bytes', 'Their payloads'],
  uncommitted_messages_of_all: [
    serverLimits.uncommittedMessages,
    'messages',
    'The same of all connections to a server',
  ],
  uncommitted_bytes_of_all: [serverLimits.uncommittedBytes, 'bytes', 'Their payloads'],
  partial_bytes_of_all: [
    serverLimits.partialBytes,
    'bytes',
    'Incomplete packets, and packets that wait for a sign-in, of all connections to a server; then the connection that sends more ends',
  ],
  subscriptions: [MAX_SUBSCRIPTIONS, 'subscriptions', 'Subscriptions of a session; more are refused'],
  unsent_bytes: [
    MAX_UNSENT_BYTES,
    'bytes',
    'Bytes that the device has not taken off its connection; then messages with QoS 0 are dropped, others wait, and the device is not read',
  ],
  stalled_seconds: [
    STALLED_MS / 1000,
    'seconds',
    'Time for which a device may take nothing of what waits for it; then the connection ends',
  ],
  queued_messages: [
    MAX_QUEUED_MESSAGES,
    'messages',
    'Messages with QoS 1 and 2 that wait for a session; the oldest are dropped',
  ],
  queued_bytes: [
    MAX_QUEUED_BYTES,
    'bytes',
    'Payloads of the messages that wait for a session or for its acknowledgements; the oldest are dropped',
  ],
  queued_bytes_of_all: [
    serverLimits.queuedBytes,
    'bytes',
    'The same of all sessions with a connection to a server',
  ],
  message_expiry: [
    null,
    'seconds',
    'Lifetime of a message on MQTT 5, which its sender chooses; then it is dropped',
  ],
  client_packet_bytes: [
    null,
    'bytes',
    'Maximum packet size on MQTT 5, which the device chooses in CONNECT; larger messages are dropped',
  ],
  retained_messages: [
    MAX_RETAINED_MESSAGES,
    'topics',
    'Topics with a retained message; one more is the dead letter `not_retained`',
  ],
  retained_bytes: [
    MAX_RETAINED_BYTES,
    'bytes',
    'Retained messages together; more are the dead letter `not_retained`, counted as `retained_messages`',
  ],
  sessions: [MAX_SESSIONS_OF_DEVICE, 'sessions', 'Connections of the device to a server; more are refused'],
  stored_sessions: [
    MAX_STORED_SESSIONS_OF_DEVICE,
    'sessions',
    'Stored sessions of the device; those that it left first are removed',
  ],
  session_expiry_seconds: [
    MAX_SESSION_EXPIRY_SECONDS,
    'seconds',
    'Time for which a session is stored without a connection',
  ],
  sign_in_seconds: [
    SIGN_IN_TIMEOUT_MS / 1000,
    'seconds',
    'Time from the connection to CONNECT; then it ends',
  ],
  connections_per_address: [
    mqttConnectionsPerAddress,
    'connections',
    'Connections of a network address to a server; more are refused',
  ],
  sign_ins_of_address: [
    serverLimits.signInsOfAddress,
    'connections',
    'Connections of a network address that have not signed in; more are closed',
  ],
  sign_ins: [serverLimits.signIns, 'connections', 'The same of all addresses'],
})
