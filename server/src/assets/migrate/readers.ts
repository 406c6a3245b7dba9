/** Readers are bindings of other assets that read from the migrated ones. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { formatEndpointId, type EndpointKind, type LocalEndpoint, localEndpointKey } from '../endpoints.ts'
import type { ModelParts } from '../models/model-endpoints.ts'
import { isKept } from './is-kept.ts'

export interface Reader extends LocalEndpoint {
  assetNumber: number
  assetId: string
  remote: LocalEndpoint
  /** The last error of the binding. */
  error: string | null
}

interface Row {
  source_id: string
  number: number
  id: string
  component_id: string
  kind: EndpointKind
  name: string
  remote_component_id: string
  remote_endpoint_name: string
  error: string | null
}

/** @returns the readers by the id of the asset that they read from */
export async function listReaders(
  tx: Kysely<Tables>,
  tenantId: string,
  assetIds: string[],
): Promise<Map<string, Reader[]>> {
  const { rows } = await sql<Row>`
    select r.instance_id as source_id, a.number, a.id, r.component_id, r.kind, r.name, r.remote_component_id,
      r.remote_endpoint_name, b.error
    from asset_binding_remotes r join assets a on a.number = r.asset_number
    join asset_bindings b using (asset_number, component_id, kind, name)
    where r.tenant_id = ${tenantId} and r.instance_type = 'asset' and r.instance_id = any(${assetIds}::text[])
    order by a.id, r.component_id, r.kind, r.name, r.place`.execute(tx)
  const readers = new Map<string, Reader[]>()
  for (const row of rows) readers.set(row.source_id, [...(readers.get(row.source_id) ?? []), toReader(row)])
  return readers
}

const toReader = (row: Row): Reader => ({
  assetNumber: row.number,
  assetId: row.id,
  componentId: row.component_id,
  kind: row.kind,
  name: row.name,
  remote: { componentId: row.remote_component_id, kind: row.kind, name: row.remote_endpoint_name },
  error: row.error,
})

/** The effect of a migration on readers. */
export interface ReaderChanges {
  /** Readers that will get no value, or none that fits. */
  broken: Reader[]
  /** Readers that an earlier migration broke, whose endpoint exists again. */
  repaired: Reader[]
}

export function findReaderChanges(
  readers: Reader[],
  asset: { id: string; model_id: string },
  source: ModelParts,
  target: ModelParts,
): ReaderChanges {
  const changes: ReaderChanges = { broken: [], repaired: [] }
  if (source === target) return changes
  for (const reader of readers) {
    const key = localEndpointKey(reader.remote)
    const wasBroken = reader.error === brokenReason(reader, asset.id, asset.model_id)
    if (wasBroken && target.endpoints.has(key)) changes.repaired.push(reader)
    else if (!isKept(key, source, target)) changes.broken.push(reader)
  }
  return changes
}

export const formatReaderEndpointId = (reader: Reader): string =>
  formatEndpointId({ ...reader, instanceId: reader.assetId })

export const formatSourceEndpointId = ({ remote }: Reader, instanceId: string): string =>
  formatEndpointId({ ...remote, instanceId })

export const brokenReason = (reader: Reader, instanceId: string, modelId: string): string =>
  `${formatSourceEndpointId(reader, instanceId)} is no more, or of another schema, since its asset was migrated to ${modelId}. Bind this anew.`

/** Sets or clears the `lastError` of the bindings. */
export async function updateReaderErrors(
  tx: Kysely<Tables>,
  changes: { reader: Reader; error: string | null }[],
): Promise<void> {
  if (changes.length === 0) return
  const readers = changes.map(({ reader }) => reader)
  await sql`
    update asset_bindings b
    set error = f.error, error_at = case when f.error is not null then now() end
    from unnest(${readers.map(({ assetNumber }) => assetNumber)}::int[],
      ${readers.map(({ componentId }) => componentId)}::text[], ${readers.map(({ kind }) => kind)}::text[],
      ${readers.map(({ name }) => name)}::text[], ${changes.map(({ error }) => error)}::text[])
      as f (asset_number, component_id, kind, name, error)
    where (b.asset_number, b.component_id, b.kind, b.name) = (f.asset_number, f.component_id, f.kind, f.name)`.execute(
    tx,
  )
}
