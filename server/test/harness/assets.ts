/** Inserts models, assets and bindings of a test into the database directly. */
import { insertParent } from '../../src/access/relations/store.ts'
import { parseEndpointId } from '../../src/assets/endpoints.ts'
import type { Platform } from './platform.ts'

export const pumpModel = 'dtmi:com:example:Pump;1'

/** The model of a pump with contents of every kind. */
export const pumpContents = [
  { '@type': 'Telemetry', name: 'temperature', schema: 'double' },
  { '@type': 'Telemetry', name: 'pressure', schema: 'double' },
  { '@type': 'Telemetry', name: 'status', schema: 'string' },
  { '@type': 'Telemetry', name: 'running', schema: 'boolean' },
  { '@type': 'Property', name: 'target', schema: 'double', writable: true },
  { '@type': 'Property', name: 'serial', schema: 'string' },
  { '@type': 'Command', name: 'start', request: { name: 'speed', schema: 'double' } },
  { '@type': 'Component', name: 'motor', schema: 'dtmi:com:example:Motor;1' },
]
const motorContents = [
  { '@type': 'Telemetry', name: 'rpm', schema: 'integer' },
  { '@type': 'Property', name: 'limit', schema: 'integer', writable: true },
  { '@type': 'Command', name: 'brake' },
]

/** Makes the model of a pump and that of its motor. */
export async function makePumpModel(platform: Platform): Promise<void> {
  await makeModel(platform, 'dtmi:com:example:Motor;1', motorContents)
  await makeModel(platform, pumpModel, pumpContents)
}

export async function makeModel(platform: Platform, id: string, contents: unknown[]): Promise<void> {
  const definition = { '@context': 'dtmi:dtdl:context;3', '@id': id, '@type': 'Interface', contents }
  const body = { displayName: id, organizationId: platform.organizationId, definition }
  const answer = await platform.post('/v1/models', body)
  if (answer.status !== 201)
    throw new Error(`making a model answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** In tenant `default`. @returns its number */
export async function insertAsset(
  { ctx, organizationId }: Platform,
  id: string,
  { modelId = pumpModel, organization = organizationId } = {},
): Promise<number> {
  const { number } = await ctx.db
    .insertInto('assets')
    .values({
      tenant_id: 'default',
      id,
      model_id: modelId,
      organization_id: organization,
      display_name: `Asset ${id}`,
      description: null,
    })
    .returning('number')
    .executeTakeFirstOrThrow()
  await insertParent(ctx.db, 'asset', { tenant_id: 'default', organization_id: organization, id })
  return number
}

export interface TestBinding {
  transform?: unknown
  inverseTransform?: unknown
  /** Names of the remotes in the transforms; if absent, the names of their endpoints. */
  names?: string[]
}

/** @param remotes endpoint ids; whether each is a client's or an asset's is looked up */
export async function insertBinding(
  { ctx }: Platform,
  local: string,
  remotes: string[],
  { transform, inverseTransform, names = [] }: TestBinding = {},
): Promise<void> {
  const { instanceId, componentId, kind, name } = parseEndpointId(local)!
  const asset = await ctx.db
    .selectFrom('assets')
    .select('number')
    .where('id', '=', instanceId)
    .executeTakeFirstOrThrow()
  const place = { asset_number: asset.number, component_id: componentId, kind, name }
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value))
  await ctx.db
    .insertInto('asset_bindings')
    .values({
      ...place,
      transform: json(transform),
      inverse_transform: json(inverseTransform),
      origin: 'explicit',
      binding_description_id: null,
      error: null,
      error_at: null,
    })
    .execute()
  for (const [index, id] of remotes.entries()) {
    const remote = parseEndpointId(id)!
    const client = await ctx.db
      .selectFrom('provider_clients')
      .select('id')
      .where('id', '=', remote.instanceId)
      .executeTakeFirst()
    await ctx.db
      .insertInto('asset_binding_remotes')
      .values({
        ...place,
        place: index,
        remote_name: names[index] ?? remote.name,
        tenant_id: 'default',
        instance_type: client ? 'client' : 'asset',
        instance_id: remote.instanceId,
        remote_component_id: remote.componentId,
        remote_endpoint_name: remote.name,
      })
      .execute()
  }
}
