import Type, { type Static } from 'typebox'
import { Description, DisplayName, FreeObject, SuppliedId, Uuid } from '../../http/shapes.ts'
import type { ProviderTemplateRow } from '../../database/tables/providers.ts'

const Tags = Type.Unsafe<Record<string, string[]>>(
  Type.Object({}, { additionalProperties: Type.Array(Type.String({ maxLength: 256 }), { maxItems: 256 }) }),
)
const Enabled = Type.Boolean({
  default: true,
  description: 'If false, no client can be provisioned with it',
})

export const CreateTemplate = Type.Object({
  id: Type.Optional(SuppliedId),
  displayName: DisplayName,
  description: Type.Optional(Description),
  enabled: Type.Optional(Enabled),
  tags: Type.Optional(Tags),
  options: Type.Optional(FreeObject),
  organizationId: Uuid,
})
export type CreateTemplate = Static<typeof CreateTemplate>

/** Absent fields keep their values. */
export const PutTemplate = Type.Object({
  displayName: DisplayName,
  description: Type.Optional(Description),
  enabled: Type.Optional(Enabled),
  tags: Type.Optional(Tags),
  options: Type.Optional(FreeObject),
})
export type PutTemplate = Static<typeof PutTemplate>

export const TemplateRecord = Type.Object(
  {
    id: Type.String(),
    displayName: Type.String(),
    description: Description,
    enabled: Type.Boolean(),
    tags: Tags,
    options: FreeObject,
    organizationId: Uuid,
  },
  { title: 'ProviderTemplate' },
)

export const TemplatePath = Type.Object({ templateId: Type.String({ maxLength: 128 }) })

export const templateShape = (row: ProviderTemplateRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  enabled: row.enabled,
  tags: row.tags,
  options: row.options,
  organizationId: row.organization_id,
})
