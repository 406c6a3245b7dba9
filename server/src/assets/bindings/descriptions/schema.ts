import Type, { type Static } from 'typebox'
import { Description, DisplayName, FreeObject, Nullable, SuppliedId, Uuid } from '../../../http/shapes.ts'
import { MAX_BINDINGS, MAX_REMOTES, RemoteName, type Rule, ruleFields } from '../binding-rule.ts'
import type { BindingDescriptionRow } from '../../../database/tables/assets.ts'

const localEndpoint = Type.String({
  minLength: 1,
  maxLength: 768,
  description: '`component/kind/name`, such as `-/telemetry/temperature`',
})
const InstanceName = Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' })
const DescribedRemote = Type.Object({ name: RemoteName, instanceName: InstanceName, endpoint: localEndpoint })
type DescribedRemote = Static<typeof DescribedRemote>

const DescribedBinding = Type.Object({
  localEndpoint,
  remotes: Type.Array(DescribedRemote, { minItems: 1, maxItems: MAX_REMOTES }),
  ...ruleFields,
})
export type GivenBinding = Static<typeof DescribedBinding>

/** A binding as it is stored, with all defaults filled in. */
export interface DescribedBinding extends Rule {
  localEndpoint: string
  remotes: DescribedRemote[]
}

const DescribedBindings = Type.Array(DescribedBinding, { maxItems: MAX_BINDINGS })

export const CreateDescription = Type.Object({
  id: Type.Optional(SuppliedId),
  displayName: DisplayName,
  description: Type.Optional(Description),
  organizationId: Uuid,
  modelId: SuppliedId,
  bindings: DescribedBindings,
})
export type CreateDescription = Static<typeof CreateDescription>

/** An absent field stays unchanged. */
export const PutDescription = Type.Object({
  displayName: Type.Optional(DisplayName),
  description: Type.Optional(Description),
  bindings: Type.Optional(DescribedBindings),
})
export type PutDescription = Static<typeof PutDescription>

export const DescriptionRecord = Type.Object(
  {
    id: Type.String(),
    displayName: Type.String(),
    description: Description,
    organizationId: Uuid,
    modelId: Type.String(),
    bindings: Type.Array(
      Type.Object({
        localEndpoint: Type.String(),
        remotes: Type.Array(
          Type.Object({ name: Type.String(), instanceName: Type.String(), endpoint: Type.String() }),
        ),
        bindingType: Type.String(),
        transform: Nullable(FreeObject),
        inverseTransform: Nullable(FreeObject),
      }),
    ),
    isGenerated: Type.Boolean({ description: 'Created for bind requests without a description' }),
  },
  { title: 'BindingDescription' },
)

export const DescriptionPath = Type.Object({ bindingDescriptionId: Type.String({ maxLength: 128 }) })

export const descriptionShape = (row: BindingDescriptionRow) => ({
  id: row.id,
  displayName: row.display_name,
  description: row.description,
  organizationId: row.organization_id,
  modelId: row.model_id,
  bindings: row.bindings as DescribedBinding[],
  isGenerated: row.is_generated,
})
