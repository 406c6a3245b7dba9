import Type, { type Static } from 'typebox'
import { Description, DisplayName, Nullable, SuppliedId, Uuid } from '../http/shapes.ts'
import type { AlarmRow } from '../database/tables/alarms.ts'

export const MAX_CONDITION = 64 * 1024
/** A month. */
const MAX_SECONDS = 31 * 24 * 3600

const Condition = Nullable(
  Type.String({
    minLength: 1,
    maxLength: MAX_CONDITION,
    contentMediaType: 'application/json',
    description:
      'JSONLogic as text: `{">": [{"var": "temperature"}, 80]}`; a component\'s signal is `component.signal`',
  }),
)

const optional = {
  description: Type.Optional(Description),
  type: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
  entityTypeId: Type.Optional(
    Nullable(
      Type.String({
        ...SuppliedId,
        description: 'The model whose assets it watches; assets of models that extend it are not included',
      }),
    ),
  ),
  entityIds: Type.Optional(
    Type.Array(SuppliedId, {
      maxItems: 1000,
      uniqueItems: true,
      description: 'Assets of the model; empty: all of them',
    }),
  ),
  condition: Type.Optional(Condition),
  clearCondition: Type.Optional(Condition),
  severity: Type.Optional(Type.Integer({ minimum: 1, maximum: 5, description: '1 (lowest) to 5 (highest)' })),
  forSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SECONDS,
      description: 'The time for which the condition must hold; 0: not at all',
    }),
  ),
  noDataSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SECONDS,
      description:
        'It also becomes active after this time without a sample, which is checked once a minute; 0: never',
    }),
  ),
  maxLatenessSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_SECONDS,
      description: 'Samples that arrive later than this are not evaluated; 0: all are evaluated',
    }),
  ),
  organizationId: Type.Optional(Uuid),
}

/** The body that creates or changes an alarm; a change keeps the fields that are absent. */
export const CreateAlarm = Type.Object({ name: DisplayName, ...optional })
export type CreateAlarm = Static<typeof CreateAlarm>

export const AlarmRecord = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    description: Description,
    type: Nullable(Type.String()),
    entityTypeId: Nullable(Type.String()),
    entityIds: Type.Array(Type.String()),
    condition: Nullable(Type.String()),
    clearCondition: Nullable(Type.String()),
    severity: Type.Integer(),
    forSeconds: Type.Integer(),
    noDataSeconds: Type.Integer(),
    maxLatenessSeconds: Type.Integer(),
    organizationId: Uuid,
  },
  { title: 'Alarm' },
)
export type Alarm = Static<typeof AlarmRecord>

export const alarmShape = (row: AlarmRow): Alarm => ({
  id: row.id,
  name: row.name,
  description: row.description,
  type: row.type,
  entityTypeId: row.entity_type_id,
  entityIds: row.entity_ids,
  condition: row.condition,
  clearCondition: row.clear_condition,
  severity: row.severity,
  forSeconds: row.for_seconds,
  noDataSeconds: row.no_data_seconds,
  maxLatenessSeconds: row.max_lateness_seconds,
  organizationId: row.organization_id,
})
