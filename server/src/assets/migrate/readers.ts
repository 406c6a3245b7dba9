/** What other assets read from those that are migrated. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { endpointIdOf, type EndpointKind, type LocalEndpoint, localEndpointKey } from '../endpoints.ts'
import type { ModelParts } from '../models/model-endpoints.ts'
import { isKept } from './is-kept.ts'

export interface Reader extends LocalEndpoint {
  assetNumber: number
  assetId: string
  remote: LocalEndpoint
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
}

/** @returns by the id of the asset that is read */
export async function listReaders(
  tx: Kysely<Tables>,
  tenantId: string,
  assetIds: string[],
): Promise<Map<string, Reader[]>> {
  const { rows } = await sql<Row>`
    select r.instance_id as source_id, a.number, a.id, r.component_id, r.kind, r.name, r.remote_component_id,
      r.remote_endpoint_name
    from asset_binding_remotes r join assets a on a.number = r.asset_number
    where r.tenant_id = ${tenantId} and r.instance_type = 'asset' and r.instance_id = any(${assetIds}::text[])
    order by a.id, r.component_id, r.kind, r.name, r.place`.execute(tx)
  const readers = new Map<string, Reader[]>()
  for (const row of rows) readers.set(row.source_id, [...(readers.get(row.source_id) ?? []), readerOf(row)])
  return readers
}

const readerOf = (row: Row): Reader => ({
  assetNumber: row.number,
  assetId: row.id,
  componentId: row.component_id,
  kind: row.kind,
  name: row.name,
  remote: { componentId: row.remote_component_id, kind: row.kind, name: row.remote_endpoint_name },
})

/** Those that will not get a value any more, or none that they expect. */
export const brokenReaders = (readers: Reader[], source: ModelParts, target: ModelParts): Reader[] =>
  readers.filter(({ remote }) => !isKept(localEndpointKey(remote), source, target))

export const localEndpointIdOf = (reader: Reader): string =>
  endpointIdOf({ ...reader, instanceId: reader.assetId })

export const remoteEndpointIdOf = ({ remote }: Reader, instanceId: string): string =>
  endpointIdOf({ ...remote, instanceId })

export interface BrokenReader {
  reader: Reader
  reason: string
}

/** Where whoever bound them looks. */
export async function updateBrokenReaders(tx: Kysely<Tables>, broken: BrokenReader[]): Promise<void> {
  if (broken.length === 0) return
  const readers = broken.map(({ reader }) => reader)
  await sql`
    update asset_bindings b set error = f.error, error_at = now()
    from unnest(${readers.map(({ assetNumber }) => assetNumber)}::int[],
      ${readers.map(({ componentId }) => componentId)}::text[], ${readers.map(({ kind }) => kind)}::text[],
      ${readers.map(({ name }) => name)}::text[], ${broken.map(({ reason }) => reason)}::text[])
      as f (asset_number, component_id, kind, name, error)
    where (b.asset_number, b.component_id, b.kind, b.name) = (f.asset_number, f.component_id, f.kind, f.name)`.execute(
    tx,
  )
}
