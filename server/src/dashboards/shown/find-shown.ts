import type pg from 'pg'
import { checkMany, permissionQuestion } from '../../access/decisions/check.ts'
import { readContent, type Variable } from './read-content.ts'
import type { Shown } from './shown.ts'

/** Data of dashboards in a dashboard that is read for a request. Those beyond it, in the order of their ids, are not shown. */
const MAX_BYTES = 8 * 1024 * 1024
/** Variables of places that are followed. */
const MOST_PLACES = 20

/**
 * Finds what a dashboard shows now: with the dashboards in it that the user may view, which use its variables, and with
 * the values that its variables have at first.
 * @returns undefined if there is no such dashboard
 */
export async function findShown(
  pool: pg.Pool,
  { tenantId, userId, dashboardId }: { tenantId: string; userId: string; dashboardId: string },
): Promise<Shown | undefined> {
  const [own] = await readContents(pool, tenantId, [dashboardId])
  if (own === undefined) return undefined
  const { dashboardIds, variables } = own.content
  const inside = await readContents(
    pool,
    tenantId,
    await findVisible(pool, { tenantId, userId, ids: dashboardIds }),
  )
  const contents = [own, ...inside].map(({ content }) => content)
  const owners = contents.flatMap((content) => content.owners)
  // Widgets may name a variable many times, and a variable many assets.
  const named = new Set(owners.map(({ variable }) => variable))
  const values = await findValues(
    pool,
    tenantId,
    // The console reads the tree for each place, also where no widget uses it.
    variables.filter(({ name, kind }) => kind === 'node' || named.has(name)),
  )
  return {
    dashboardId,
    // A dashboard in a dashboard shows no third one.
    dashboards: new Set([dashboardId, ...inside.map(({ id }) => id)]),
    owners: new Set([...owners.flatMap(({ assetId }) => assetId ?? []), ...values.assetIds]),
    nodes: new Set(values.nodeIds),
    resources: new Set(contents.flatMap(({ resourceIds }) => resourceIds)),
    alarmLists: contents.flatMap(({ alarmLists }) => alarmLists),
  }
}

/** Whoever changes a dashboard that the user may not view cannot add to what the user's token reads. */
async function findVisible(
  pool: pg.Pool,
  { tenantId, userId, ids }: { tenantId: string; userId: string; ids: string[] },
): Promise<string[]> {
  if (ids.length === 0) return []
  const subject = { type: 'user' as const, id: userId }
  const may = await checkMany(
    pool,
    ids.map((id) => permissionQuestion(tenantId, subject, 'view', { type: 'dashboard', id })),
  )
  return ids.filter((_id, index) => may[index])
}

async function readContents(pool: pg.Pool, tenantId: string, ids: string[]) {
  if (ids.length === 0) return []
  const { rows } = await pool.query<{ id: string; data: unknown }>({
    name: 'data-of-shown-dashboards',
    text: `select d.id, d.data
      from dashboards d
      join (
        select id, sum(data_bytes) over (order by id) as bytes
        from dashboards where tenant_id = $1 and id = any($2::uuid[])
      ) sized using (id)
      where d.tenant_id = $1 and sized.bytes <= $3`,
    values: [tenantId, ids, MAX_BYTES],
  })
  return rows.map(({ id, data }) => ({ id, content: readContent(data) }))
}

/** The assets that variables name, and the places among their values with those below them. */
async function findValues(pool: pg.Pool, tenantId: string, variables: Variable[]) {
  const places = variables.filter(({ kind }) => kind === 'node').slice(0, MOST_PLACES)
  const below = await findBelow(
    pool,
    tenantId,
    places.flatMap(({ value }) => value[0]?.toLowerCase() ?? []),
  )
  const listBelow = (type: 'node' | 'asset') =>
    below.filter((place) => place.type === type).map(({ id }) => id)
  const chosen = variables.flatMap(({ kind, value }) => {
    if (kind === 'node') return []
    return kind === 'asset' ? value.slice(0, 1) : value
  })
  return { assetIds: [...chosen, ...listBelow('asset')], nodeIds: listBelow('node') }
}

/** The nodes themselves, and all nodes and assets below them. */
async function findBelow(pool: pg.Pool, tenantId: string, nodeIds: string[]) {
  if (nodeIds.length === 0) return []
  const { rows } = await pool.query<{ type: 'node' | 'asset'; id: string }>({
    name: 'places-below-shown-nodes',
    text: `with recursive below (type, id) as (
        select 'node', top from unnest($2::text[]) as top
        union
        select r.resource_type, r.resource_id
        from below join relations r on r.tenant_id = $1 and r.subject_type = 'node' and r.subject_id = below.id
          and r.relation = 'parent' and r.resource_type in ('node', 'asset')
        where below.type = 'node'
      )
      select type, id from below`,
    values: [tenantId, nodeIds],
  })
  return rows
}
