/** The state of deliveries to a receiver, as the API shows it. */
import Type from 'typebox'
import { Nullable, Timestamp, formatTimestamp } from '../http/shapes.ts'
import type { Circuit } from './circuits.ts'

export const DeliveryState = Type.Object(
  {
    state: Type.Enum(['ok', 'failing', 'paused'], {
      description: '`paused`: deliveries wait until `retryAt`, when one of them is tried',
    }),
    failures: Type.Integer({ description: 'Consecutive ones' }),
    lastError: Nullable(Type.String()),
    failingSince: Nullable(Timestamp),
    retryAt: Nullable(Timestamp),
  },
  { title: 'DeliveryState' },
)

/** @param circuit undefined for a receiver that answers */
export const deliveryState = (circuit: Circuit | undefined) => ({
  state: circuit ? (circuit.retryAt ? ('paused' as const) : ('failing' as const)) : ('ok' as const),
  failures: circuit?.failures ?? 0,
  lastError: circuit?.reason ?? null,
  failingSince: formatTimestamp(circuit?.failingSince ?? null),
  retryAt: formatTimestamp(circuit?.retryAt ?? null),
})
