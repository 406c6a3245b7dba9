import Type from 'typebox'
import { PlatformPageQuery } from '../../http/page.ts'
import { Nullable, SuppliedId, Timestamp, Uuid } from '../../http/shapes.ts'
import { transitions } from './states.ts'

const states = [...new Set(transitions.flatMap(({ from, to }) => [from, to]))].toSorted()

export const AlarmStatusRecord = Type.Object(
  {
    alarmStatusId: Uuid,
    alarmId: Uuid,
    alarmName: Type.String(),
    entityId: Type.String(),
    entityName: Type.String(),
    severity: Type.Integer(),
    state: Type.Union(states.map((state) => Type.Literal(state))),
    active: Type.Boolean(),
    acknowledged: Type.Boolean(),
    activatedAt: Timestamp,
    acknowledgedAt: Nullable(Timestamp),
    acknowledgedBy: Nullable(Type.String({ description: 'The id of a user, or what the link was sent to' })),
    acknowledgeComment: Type.Optional(
      Nullable(Type.String({ description: 'What the user wrote when acknowledging' })),
    ),
    inactiveAt: Nullable(Timestamp),
    clearedAt: Nullable(Timestamp),
    clearedReason: Type.Optional(
      Nullable(
        Type.String({
          description:
            '`alarm_changed`, `alarm_deleted`, `asset_migrated` or `asset_deleted` if neither a sample nor an acknowledgement cleared it',
        }),
      ),
    ),
    value: Type.Unknown({ description: 'The value of the sample that activated it; null if silence did' }),
    timestamp: Timestamp,
  },
  { title: 'AlarmStatus' },
)

const filters = {
  alarmId: Type.Optional(Uuid),
  entityId: Type.Optional(SuppliedId),
  nodeId: Type.Optional({ ...Uuid, description: 'Only assets in this node of the tree, on any level' }),
  minSeverity: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 5, description: 'Only statuses of this severity or a higher one' }),
  ),
}

export const OpenQuery = Type.Object({
  ...PlatformPageQuery.properties,
  ...filters,
  state: Type.Optional(Type.Enum(states.filter((state) => state !== 'cleared'))),
})

export const HistoryQuery = Type.Object({ ...PlatformPageQuery.properties, ...filters })

const MAX_COMMENT = 2000

export const Acknowledge = Type.Object({
  comment: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_COMMENT,
      description: 'Kept with the status; the comment of the first acknowledgement counts',
    }),
  ),
})
