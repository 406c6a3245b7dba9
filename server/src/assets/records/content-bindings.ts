import { type RawBuilder, sql } from 'kysely'

/** [docs/assets#records] */
export interface ContentBinding {
  /** The bound endpoint of the asset. */
  endpointId: string
  /** The id of a provider client or of an asset. */
  instanceId: string
}

/** A column with the `contentBindings` of the asset `a`, one entry for each remote, in order. */
export const contentBindingsColumn = (): RawBuilder<ContentBinding[]> => sql`(
  select coalesce(json_agg(json_build_object(
    'endpointId', concat_ws('/', a.id, coalesce(nullif(r.component_id, ''), '-'), r.kind, r.name),
    'instanceId', r.instance_id
  ) order by r.component_id, r.kind, r.name, r.place), '[]')
  from asset_binding_remotes r where r.asset_number = a.number
)`
