/** The default description of a model for clients of one provider type. A bind uses it if it names no description. */
import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { recordAudit } from '../../../audit/record.ts'
import type { Tables } from '../../../database/tables.ts'
import { ApiError } from '../../../http/errors.ts'
import type { Caller } from '../../../http/access.ts'
import { toLocalEndpoint, type ModelEndpoints } from '../../models/model-endpoints.ts'
import { getModel } from '../../models/store.ts'
import { localEndpointKey } from '../../endpoints.ts'
import type { ProviderType } from '../../../providers/provider-type.ts'
import { SINGLE_REMOTE, acceptsCommand } from '../bind-draft.ts'
import { type DescribedBinding, descriptionShape } from './schema.ts'
import type { BindingDescriptionRow } from '../../../database/tables/assets.ts'
import { findDescription, insertDescription } from './store.ts'

/**
 * The id is derived, so that two concurrent binds create one description. The model id is hashed because it alone may
 * have the greatest length of an id.
 */
export const defaultDescriptionId = (modelId: string, providerType: ProviderType) =>
  `default-${providerType}-${createHash('sha256').update(modelId).digest('hex').slice(0, 32)}`

/** Creates the default description in the model's organization if it is missing. @throws conflict if its id is taken */
export async function ensureDefaultDescription(
  tx: Kysely<Tables>,
  caller: Caller,
  {
    modelId,
    providerType,
    endpoints,
  }: { modelId: string; providerType: ProviderType; endpoints: ModelEndpoints },
): Promise<BindingDescriptionRow> {
  const { tenantId } = caller
  const id = defaultDescriptionId(modelId, providerType)
  const found = (await findDescription(tx, tenantId, id)) ?? (await insertDefault())
  if (!found.is_generated || found.model_id !== modelId)
    throw new ApiError(
      'conflict',
      `The binding description ${id} is in the way of the default for the model ${modelId}. Delete it, or name a description.`,
    )
  return found

  async function insertDefault() {
    const { organization_id: organizationId } = await getModel(tx, tenantId, modelId)
    const row = await insertDescription(tx, tenantId, {
      id,
      displayName: `Default of ${modelId} for ${providerType}`.slice(0, 256),
      description: null,
      organizationId,
      modelId,
      bindings: bindingsByName(endpoints, providerType),
      isGenerated: true,
    })
    // A concurrent request has created it.
    if (!row) return (await findDescription(tx, tenantId, id))!
    const after = descriptionShape(row)
    await recordAudit(tx, caller, {
      action: 'create',
      resourceType: 'binding_description',
      resourceId: id,
      after,
    })
    return row
  }
}

const bindingsByName = (endpoints: ModelEndpoints, providerType: ProviderType): DescribedBinding[] =>
  [...endpoints.values()]
    .filter((content) => content.kind !== 'command' || acceptsCommand(providerType, content))
    .map((content) => {
      const endpoint = localEndpointKey(toLocalEndpoint(content))
      return {
        localEndpoint: endpoint,
        remotes: [{ name: SINGLE_REMOTE, instanceName: 'client', endpoint }],
        bindingType: 'default',
        transform: null,
        inverseTransform: null,
      }
    })
