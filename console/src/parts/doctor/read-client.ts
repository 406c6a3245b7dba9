import type { Schemas } from '@gangway/client'
import type { Cure, Finding } from './finding.ts'

export type ConnectionEvent = Schemas['ConnectionEvent']
type Connection = Schemas['ProviderClient']['connection']

const cures: Record<string, Cure[]> = {
  topic_not_allowed: ['copy-topic'],
  keys_rotated: ['copy-settings-command'],
  client_disabled: ['enable-client'],
  client_deleted: ['provision'],
}
/** Reasons of disconnections that are no fault of the device. */
const ordinary = new Set(['client_disconnected', 'server_stopped', 'session_taken_over', 'connection_lost'])

/** Converts disconnections to findings. Connections are in the trace as sign-ins. */
export const readConnections = (events: ConnectionEvent[]): Finding[] =>
  events
    .filter(({ event }) => event === 'disconnected')
    .map(({ id, at, reason, message, address }) => ({
      key: id,
      at: Date.parse(at),
      state: reason === null || ordinary.has(reason) ? 'info' : 'bad',
      stage: 'message',
      event: 'disconnected',
      code: reason ?? 'client_disconnected',
      message,
      advice: null,
      count: 1,
      address,
      cures: cures[reason ?? ''] ?? [],
    }))

const refusals = new Set(['topic_not_allowed', 'too_many_subscriptions'])

/** Converts a refused subscription, which does not end the connection. Refused sign-ins are in the trace. */
export function readRefusal({
  refusedAt,
  refusedReason,
  refusedMessage,
  remoteAddress,
}: Connection): Finding[] {
  if (refusedAt === null || refusedReason === null || !refusals.has(refusedReason)) return []
  return [
    {
      key: `refused ${refusedAt}`,
      at: Date.parse(refusedAt),
      state: 'bad',
      stage: 'message',
      event: 'refused',
      code: refusedReason,
      message: refusedMessage,
      advice: null,
      count: 1,
      address: remoteAddress,
      cures: cures[refusedReason] ?? [],
    },
  ]
}
