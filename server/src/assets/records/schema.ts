import type { Selectable } from 'kysely'
import Type, { type Static } from 'typebox'
import { AuthorizationContext } from '../../access/relations/authorization-context.ts'
import type { AssetTables } from '../../database/tables/assets.ts'
import { Description, DisplayName, Nullable, SuppliedId, Uuid } from '../../http/shapes.ts'
import type { ContentBinding } from './content-bindings.ts'

const EndpointId = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: 'Endpoint of the asset: pump-7/-/telemetry/temperature',
})

/** [docs/assets#records] */
const NewContentBinding = Type.Object({
  endpointId: Type.Optional(EndpointId),
  endpoint: Type.Optional(EndpointId),
  instanceId: SuppliedId,
})
export type NewContentBinding = Static<typeof NewContentBinding>

export const CreateAsset = Type.Object({
  id: SuppliedId,
  modelId: SuppliedId,
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Uuid,
  contentBindings: Type.Optional(Type.Array(NewContentBinding, { maxItems: 10_000 })),
  authorizationContext: Type.Optional(AuthorizationContext),
})
export type CreateAsset = Static<typeof CreateAsset>

/** An absent field stays unchanged. */
export const ChangeAsset = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  authorizationContext: Type.Optional(AuthorizationContext),
})
export type ChangeAsset = Static<typeof ChangeAsset>

export const AssetRecord = Type.Object(
  {
    id: Type.String(),
    modelId: Type.String(),
    displayName: Type.String(),
    description: Nullable(Type.String()),
    organizationId: Uuid,
    contentBindings: Type.Array(Type.Object({ endpointId: Type.String(), instanceId: Type.String() }), {
      description: 'One for each remote endpoint that an endpoint of the asset is bound to',
    }),
    authorizationContext: AuthorizationContext,
  },
  { title: 'Asset' },
)

export const AssetPath = Type.Object({ assetId: Type.String({ maxLength: 128 }) })

/** The row that the routes return: an asset with its `contentBindings`. */
export type AssetRecordRow = Selectable<AssetTables['assets']> & {
  authorization_context: AuthorizationContext
  content_bindings: ContentBinding[]
}

export const assetShape = (row: AssetRecordRow) => ({
  id: row.id,
  modelId: row.model_id,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  contentBindings: row.content_bindings,
  authorizationContext: row.authorization_context,
})
