import { requirePermission, requirePrivilegeIn } from '../access/require.ts'
import { fitsSchema } from '../assets/models/fits-schema.ts'
import { findModelParts, type ModelEndpoints } from '../assets/models/model-endpoints.ts'
import { localEndpointKey } from '../assets/endpoints.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../http/access.ts'
import { type Issue, validationError } from '../http/errors.ts'
import { getProvider } from '../providers/store.ts'
import type { Signal } from './generators/signal.ts'
import { readColumns } from './generators/read-columns.ts'

export interface SimulationInput {
  organizationId: string
  providerId: string
  modelId?: string | null
  signals: Signal[]
}

/**
 * Checks the caller's rights and that the signals fit the model: when a simulation is saved, and again when it starts.
 * @throws forbidden, not_found, validation_error
 */
export async function checkSimulation(ctx: Context, caller: Caller, plan: SimulationInput): Promise<void> {
  const { organizationId, providerId, modelId } = plan
  await requirePrivilegeIn(ctx, caller, 'provider_client_management', organizationId)
  const provider = await getProvider(ctx.db, caller.tenantId, providerId)
  // Another organization may use the provider once it is shared with it.
  if (provider.organization_id !== organizationId)
    await requirePermission(ctx, caller, 'view', { type: 'provider', id: providerId })
  if (provider.type !== 'mqtt')
    throw validationError({
      path: 'providerId',
      message: `is of type ${provider.type}, must be of type mqtt`,
    })
  if (modelId) {
    await requirePrivilegeIn(ctx, caller, 'asset_management', organizationId)
    await requirePermission(ctx, caller, 'view', { type: 'model', id: modelId })
    const { endpoints } = await findModelParts(ctx.db, caller.tenantId, modelId)
    const issues = plan.signals.flatMap((signal, index) =>
      findMismatches(endpoints, signal, `signals.${index}`),
    )
    if (issues.length > 0) throw validationError(...issues.slice(0, 20))
  }
  await readColumns(ctx, caller, plan.signals, 1)
}

export const findTelemetry = (endpoints: ModelEndpoints, { name, component = '' }: Signal) =>
  endpoints.get(localEndpointKey({ componentId: component, kind: 'telemetry', name }))

function findMismatches(endpoints: ModelEndpoints, signal: Signal, path: string): Issue[] {
  const content = findTelemetry(endpoints, signal)
  if (content?.kind !== 'telemetry')
    return [{ path: `${path}.name`, message: 'is no telemetry of the model' }]
  const { schema } = content
  const misfit = exampleValues(signal).find((value) => !fitsSchema(schema, value))
  if (misfit === undefined) return []
  return [{ path, message: `${JSON.stringify(misfit)} does not fit the model, which has ${schema.type}` }]
}

/** Values that the signal can have. Those of a file are not known yet; other numbers are rounded where the model has integers. */
function exampleValues({ generator, value, values = [] }: Signal) {
  if (generator === 'constant') return [value]
  if (generator === 'steps') return values
  return generator === 'csv' ? [] : [1]
}
