import Type, { type Static } from 'typebox'
import { SuppliedId } from '../../http/shapes.ts'

export const MigrateAssets = Type.Object({
  targetAssetModelId: SuppliedId,
  assetIds: Type.Array(SuppliedId, { minItems: 1, maxItems: 1000, uniqueItems: true }),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Answers what would happen, and changes nothing' }),
  ),
})
export type MigrateAssets = Static<typeof MigrateAssets>

const EndpointIds = (description: string) => Type.Array(Type.String(), { description })

export const Migration = Type.Object(
  {
    targetAssetModelId: Type.String(),
    assets: Type.Array(
      Type.Object({
        assetId: Type.String(),
        fromModelId: Type.String(),
        removedBindings: EndpointIds('Bound endpoints that the target model does not have'),
        brokenBindings: Type.Array(
          Type.Object({ localEndpointId: Type.String(), remoteEndpointId: Type.String() }),
          {
            description:
              'Bindings of other assets that read endpoints which the target model does not have. They stay, and have a `lastError`',
          },
        ),
        unknownProperties: EndpointIds(
          'Desired and reported properties that the model does not have; they stay',
        ),
      }),
    ),
  },
  { title: 'AssetMigration' },
)
export type AssetMigration = Static<typeof Migration>['assets'][number]
