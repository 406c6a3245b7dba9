/** Injected faults: the kind of the fault, its devices and its duration. */
import Type, { type Static } from 'typebox'
import { DeviceId, Timestamp } from '../../http/shapes.ts'

const kinds = ['silence', 'spikes', 'offline'] as const
const Factor = Type.Number({ minimum: -1e6, maximum: 1e6 })

export const FaultRequest = Type.Object({
  kind: Type.Enum([...kinds], {
    description:
      '`silence`: connected, and sends nothing. `spikes`: every fifth message has its numbers times `factor`. `offline`: disconnects without DISCONNECT.',
  }),
  deviceIds: Type.Optional(Type.Array(DeviceId, { minItems: 1, maxItems: 1000 })),
  deviceCount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Number of devices, chosen at random if no ids are given',
    }),
  ),
  durationSeconds: Type.Number({ exclusiveMinimum: 0, maximum: 86_400 }),
  factor: Type.Optional({ ...Factor, description: 'Only for spikes; 10 if absent' }),
})
export type FaultRequest = Static<typeof FaultRequest>

export const Fault = Type.Object(
  {
    kind: Type.Enum([...kinds]),
    deviceIds: Type.Array(Type.String()),
    factor: Type.Optional(Factor),
    since: Timestamp,
    until: Timestamp,
  },
  { title: 'SimulationFault' },
)
export type Fault = Static<typeof Fault>

export const isOver = ({ until }: Fault, nowMs = Date.now()) => Date.parse(until) <= nowMs
