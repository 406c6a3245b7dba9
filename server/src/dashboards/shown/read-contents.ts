import type pg from 'pg'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { type Content, readContent } from './read-content.ts'

/** Data of dashboards that is read at once. Dashboards beyond it, in the order of their ids, are left out. */
const MAX_BYTES = 2 * 1024 * 1024
/** Dashboards whose contents are kept. */
const MAX_KEPT = 100

/** Reads what the widgets of dashboards name, in the order of their ids; those that do not exist are left out. */
export type ReadContents = (tenantId: string, ids: string[]) => Promise<{ id: string; content: Content }[]>

/** The content of a dashboard is kept until its version changes: most requests of a screen read no data. */
export function createContentReader(pool: pg.Pool): ReadContents {
  const kept = createBoundedCache<string, { version: number; content: Content }>(MAX_KEPT)
  return async (tenantId, ids) => {
    if (ids.length === 0) return []
    const dashboards = (await listDashboards(pool, tenantId, ids)).map(({ id, version }) => {
      const last = kept.get(id)
      return { id, content: last?.version === version ? last.content : undefined }
    })
    const changed = dashboards.filter(({ content }) => content === undefined).map(({ id }) => id)
    const read = new Map<string, Content>()
    for (const { id, version, data } of await readData(pool, tenantId, changed)) {
      const content = readContent(data)
      read.set(id, content)
      kept.set(id, { version, content })
    }
    return dashboards.flatMap(({ id, content = read.get(id) }) => (content ? [{ id, content }] : []))
  }
}

interface Dashboard {
  id: string
  version: number
}

async function listDashboards(pool: pg.Pool, tenantId: string, ids: string[]) {
  const { rows } = await pool.query<Dashboard>({
    name: 'versions-of-shown-dashboards',
    text: `select id, version
      from (
        select id, version, sum(data_bytes) over (order by id) as bytes
        from dashboards where tenant_id = $1 and id = any($2::uuid[])
      ) sized
      where bytes <= $3 order by id`,
    values: [tenantId, ids, MAX_BYTES],
  })
  return rows
}

async function readData(pool: pg.Pool, tenantId: string, ids: string[]) {
  if (ids.length === 0) return []
  const { rows } = await pool.query<Dashboard & { data: unknown }>({
    name: 'data-of-shown-dashboards',
    text: 'select id, version, data from dashboards where tenant_id = $1 and id = any($2::uuid[])',
    values: [tenantId, ids],
  })
  return rows
}
