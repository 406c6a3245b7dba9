/** An asset for each device, every signal of the device bound, one in three transformed. */
import type { DeviceKey } from '../mqtt/connection.ts'
import type { Platform } from './start.ts'

/** What the fleet sends. */
export const SIGNALS = ['temperature', 'pressure', 'operatingSeconds'] as const
const TO_FAHRENHEIT = { '+': [{ '*': [{ var: 'value' }, 1.8] }, 32] }

/** @param name of the assets' model, and what their ids begin with */
export async function insertBoundAssets(
  platform: Platform,
  name: string,
  devices: DeviceKey[],
): Promise<string> {
  const modelId = `dtmi:com:example:${name};1`
  const contents = SIGNALS.map((signal) => ({ '@type': 'Telemetry', name: signal, schema: 'double' }))
  const { rows } = await platform.pool.query<{ id: string }>(
    'select id from organizations where parent_organization_id is null',
  )
  await platform.api().post('/v1/models', {
    organizationId: rows[0]!.id,
    displayName: name,
    definition: { '@context': 'dtmi:dtdl:context;3', '@id': modelId, '@type': 'Interface', contents },
  })
  const ids = devices.map(({ id }) => id)
  const parameters = [ids, name, modelId, rows[0]!.id]
  await platform.pool.query(
    `insert into assets (tenant_id, id, model_id, organization_id, display_name)
     select 'default', $2 || '-' || id, $3, $4::uuid, id from unnest($1::text[]) id`,
    parameters,
  )
  await platform.pool.query(
    `insert into relations (tenant_id, subject_type, subject_id, relation, resource_type, resource_id)
     select 'default', 'organization', $1, 'parent', 'asset', id from assets where model_id = $2`,
    [rows[0]!.id, modelId],
  )
  await platform.pool.query(
    `insert into asset_bindings (asset_number, component_id, kind, name, transform, origin)
     select number, '', 'telemetry', signal, case when place = 1 then $3::jsonb end, 'explicit'
     from assets, unnest($2::text[]) with ordinality as s (signal, place) where model_id = $1`,
    [modelId, SIGNALS, JSON.stringify(TO_FAHRENHEIT)],
  )
  await platform.pool.query(
    `insert into asset_binding_remotes (asset_number, component_id, kind, name, place, remote_name, tenant_id,
       instance_type, instance_id, remote_component_id, remote_endpoint_name)
     select number, '', 'telemetry', signal, 0, signal, 'default', 'client', display_name, '', signal
     from assets, unnest($2::text[]) as signal where model_id = $1`,
    [modelId, SIGNALS],
  )
  // Repeats what the server does after a change of bindings.
  await platform.pool.query(
    `select pg_notify('gangway_bindings_changed', '{"tenantId":"default","instanceIds":null}')`,
  )
  return modelId
}
