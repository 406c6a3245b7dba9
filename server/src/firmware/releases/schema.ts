import Type, { type Static } from 'typebox'
import { Description, DisplayName, Nullable, SuppliedId, Uuid } from '../../http/shapes.ts'
import type { ReleaseRow } from './store.ts'

const StartingModel = Type.Object({
  id: SuppliedId,
  displayName: Type.Optional(Type.String({ maxLength: 256 })),
})
/** A placeholder refers to a value by its key: `{{key}}`. */
const PropertyValue = Type.Object({
  key: Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }),
  value: Type.Unknown(),
})

const fields = {
  description: Type.Optional(Description),
  startingModels: Type.Optional(Type.Array(StartingModel, { maxItems: 100 })),
  propertyValues: Type.Optional(Type.Array(PropertyValue, { maxItems: 100 })),
  fileResourceId: Type.Optional(Nullable(Uuid)),
  fileName: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 255 }))),
}

export const CreateRelease = Type.Object({ displayName: DisplayName, ...fields, organizationId: Uuid })
export type CreateRelease = Static<typeof CreateRelease>

export const ReplaceRelease = Type.Object({ displayName: DisplayName, ...fields })
export type ReplaceRelease = Static<typeof ReplaceRelease>

export const ReleasePath = Type.Object({ releaseId: Uuid })

export const ReleaseRecord = Type.Object(
  {
    id: Uuid,
    displayName: Type.String(),
    description: Description,
    startingModels: Type.Array(StartingModel),
    propertyValues: Type.Array(PropertyValue),
    fileResourceId: Nullable(Uuid),
    fileName: Nullable(Type.String()),
    fileMissing: Type.Boolean({
      description: 'Whether its file was deleted; it can then be deployed only after it gets another file',
    }),
    organizationId: Uuid,
  },
  { title: 'FirmwareRelease' },
)

export const releaseShape = (row: ReleaseRow): Static<typeof ReleaseRecord> => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  startingModels: row.starting_models,
  propertyValues: row.property_values,
  fileResourceId: row.file_resource_id,
  fileName: row.file_name,
  fileMissing: row.file_missing,
  organizationId: row.organization_id,
})
