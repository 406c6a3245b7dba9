import { type RawBuilder, sql } from 'kysely'

/** [docs/assets#records] */
export interface ContentBinding {
  /** Of the asset itself. */
  endpointId: string
  /** A provider client or an asset. */
  instanceId: string
}

/** Column: the `contentBindings` of the asset `a` in a query of its own room; one entry a remote, in their order. */
export const contentBindingsColumn = (): RawBuilder<ContentBinding[]> => sql`(
  select coalesce(json_agg(json_build_object(
    'endpointId', concat_ws('/', a.id, coalesce(nullif(r.component_id, ''), '-'), r.kind, r.name),
    'instanceId', r.instance_id
  ) order by r.component_id, r.kind, r.name, r.place), '[]')
  from asset_binding_remotes r where r.asset_number = a.number
)`
