import Type, { type Static } from 'typebox'
import {
  Description,
  DisplayName,
  Nullable,
  SuppliedId,
  Timestamp,
  formatTimestamp,
  Uuid,
} from '../http/shapes.ts'
import { Fault, isOver } from './faults/fault.ts'
import { SimulatedFirmware } from './firmware/schema.ts'
import { Signal } from './generators/signal.ts'
import { SimulatedMethod } from './methods/method.ts'
import type { Progress } from './progress.ts'
import type { SimulationRow } from '../database/tables/simulations.ts'

export const MAX_DEVICES = 1000

/** [docs/simulations#fields] */
export const CreateSimulation = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Uuid,
  providerId: { ...SuppliedId, description: 'The providers of type `mqtt`' },
  count: Type.Integer({ minimum: 1, maximum: MAX_DEVICES, description: 'Devices' }),
  modelId: Type.Optional(
    Nullable({
      ...SuppliedId,
      description: 'Each device also gets an asset of this model, which has its id',
    }),
  ),
  signals: Type.Array(Signal, { minItems: 1, maxItems: 50 }),
  methods: Type.Optional(
    Type.Array(SimulatedMethod, {
      maxItems: 50,
      description: 'Answers of its devices; any other method is answered with 200 and its payload',
    }),
  ),
  firmware: Type.Optional({
    ...Nullable(SimulatedFirmware),
    description: 'How its devices simulate firmware updates; absent: they complete none',
  }),
  intervalSeconds: Type.Number({ minimum: 1, maximum: 86_400 }),
  deviceIdPrefix: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._-]{1,100}$',
      description: 'The devices are `{prefix}0001`, `{prefix}0002`, …; generated if absent',
    }),
  ),
})
export type CreateSimulation = Static<typeof CreateSimulation>

export const ChangeSimulation = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
})

export const SimulationPath = Type.Object({ simulationId: Uuid })

export const SimulationRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
    providerId: Type.String(),
    modelId: Nullable(Type.String()),
    count: Type.Integer(),
    deviceIdPrefix: Type.String(),
    intervalSeconds: Type.Number(),
    signals: Type.Array(Signal),
    methods: Type.Array(SimulatedMethod),
    firmware: Nullable(SimulatedFirmware),
    state: Type.Enum(['stopped', 'starting', 'running', 'stopping']),
    startedAt: Nullable(Timestamp),
    progress: Type.Object({
      devices: Type.Integer({ description: 'Created at the provider so far' }),
      connected: Type.Integer(),
      sent: Type.Integer({ description: 'Messages since the start' }),
      acknowledged: Type.Integer(),
      errors: Type.Integer({ description: 'Failed connections, and messages lost with their connection' }),
      lastError: Nullable(Type.String()),
    }),
    faults: Type.Array(Fault, { description: 'Those that have not ended' }),
  },
  { title: 'Simulation' },
)

/** Fields that callers set; the audit log shows these. */
export const simulationFields = (row: SimulationRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  providerId: row.provider_id,
  modelId: row.model_id,
  count: row.device_count,
  deviceIdPrefix: row.device_id_prefix,
  intervalSeconds: row.interval_seconds,
  signals: row.signals,
  methods: row.methods,
  firmware: row.firmware,
})

/** @param live present progress, if the simulation runs on this node */
export const simulationShape = (row: SimulationRow, live?: Progress) => ({
  ...simulationFields(row),
  state: row.state,
  startedAt: formatTimestamp(row.started_at),
  progress: { devices: Number(row.devices), ...(live ?? readProgress(row)) },
  faults: row.faults.filter((fault) => !isOver(fault)),
})

/** The progress as it was last stored. */
export const readProgress = (row: SimulationRow): Progress => ({
  connected: row.connected,
  sent: Number(row.sent),
  acknowledged: Number(row.acknowledged),
  errors: Number(row.errors),
  lastError: row.last_error,
})
