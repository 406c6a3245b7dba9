import Type, { type Static, type TSchema } from 'typebox'
import { AuthorizationContext } from '../../access/relations/authorization-context.ts'
import { Description, DisplayName, FreeObject, Nullable, SuppliedId, Uuid } from '../../http/shapes.ts'
import type { ModelContent } from './resolve.ts'
import type { ModelRow } from '../../database/tables/assets.ts'

const definitionNote = 'A DTDL v2 or v3 interface'

export const CreateModel = Type.Object({
  id: Type.Optional(
    Type.String({ ...SuppliedId, description: "The definition's `@id`; another one is refused" }),
  ),
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  organizationId: Uuid,
  definition: Type.Unsafe<Record<string, unknown>>({ ...FreeObject, description: definitionNote }),
})
export type CreateModel = Static<typeof CreateModel>

/** An absent field stays unchanged. */
export const PutModel = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  definition: Type.Optional(FreeObject),
})
export type PutModel = Static<typeof PutModel>

export const ModelRecord = Type.Object(
  {
    id: Type.String({ description: 'DTMI' }),
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
    definition: FreeObject,
  },
  { title: 'Model' },
)

export const modelShape = (row: ModelRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  definition: row.definition,
})

export const ModelPath = Type.Object({ modelId: Type.String({ maxLength: 128 }) })

const LocalText = Type.Unsafe<Record<string, string>>(
  Type.Object({}, { additionalProperties: Type.String(), description: 'By language tag, such as `en`' }),
)
const named = { name: Type.String(), displayName: LocalText, description: LocalText }
const field = {
  ...named,
  schema: FreeObject,
  unit: Nullable(Type.String()),
}
const Payload = Type.Object({ ...field, nullable: Type.Boolean() })
const only = <T extends TSchema>(schema: T, kinds: string) =>
  Type.Optional(Type.Unsafe<Static<T>>({ ...schema, description: `Only for ${kinds}` }))

const ModelContentRecord = Type.Object(
  {
    componentId: Nullable(Type.String({ description: 'Name of its component; null: the model itself' })),
    kind: Type.Enum(['telemetry', 'property', 'command', 'component', 'relationship']),
    ...named,
    schema: only(FreeObject, 'telemetry and property'),
    unit: only(Nullable(Type.String()), 'telemetry and property'),
    writable: only(Type.Boolean(), 'property and relationship'),
    request: only(Nullable(Payload), 'command'),
    response: only(Nullable(Payload), 'command'),
    modelId: only(Type.String(), 'component: the model whose contents it has'),
    target: only(Nullable(Type.String()), 'relationship'),
    maxMultiplicity: only(Nullable(Type.Integer()), 'relationship'),
    properties: only(Type.Array(Type.Object({ ...field, writable: Type.Boolean() })), 'relationship'),
  },
  { title: 'ModelContent' },
)

export const AssetShapedRecord = Type.Object(
  {
    id: Type.String(),
    modelId: Type.String(),
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
    contentBindings: Type.Array(Type.Object({})),
    authorizationContext: AuthorizationContext,
    contents: Type.Array(ModelContentRecord),
  },
  { title: 'AssetShapedModel' },
)

/**
 * Shows a model like an asset of it that is bound to nothing. [docs/models#records]
 * @param contents all contents of an asset of the model
 */
export const assetShape = (row: ModelRow, contents: ModelContent[]) => ({
  id: row.id,
  modelId: row.id,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  contentBindings: [],
  authorizationContext: { viewableByOrganizations: [] },
  contents,
})
