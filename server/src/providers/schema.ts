import Type, { type Static } from 'typebox'
import { Description, DisplayName, SuppliedId, Uuid } from '../http/shapes.ts'
import { providerTypes } from './kinds/kind-of.ts'

export const ProviderTypeName = Type.Enum([...providerTypes])

export const CreateProvider = Type.Object({
  id: Type.Optional(SuppliedId),
  type: ProviderTypeName,
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Uuid,
})

/** Creates or updates; `type` and `organizationId` are needed only to create. */
export const PutProvider = Type.Object({
  type: Type.Optional(ProviderTypeName),
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Type.Optional(Uuid),
})
export type PutProvider = Static<typeof PutProvider>

export const ProviderRecord = Type.Object(
  {
    id: Type.String(),
    type: ProviderTypeName,
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
  },
  { title: 'Provider' },
)

export const ProviderPath = Type.Object({ providerId: Type.String({ maxLength: 128 }) })

export const providerShape = (row: {
  id: string
  type: string
  display_name: string
  description: string | null
  organization_id: string
}) => ({
  id: row.id,
  type: row.type,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
})
