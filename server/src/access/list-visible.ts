import type { FastifyRequest } from 'fastify'
import type { Expression, Kysely, SqlBool } from 'kysely'
import { both, contains } from '../database/search.ts'
import type { Tables } from '../database/tables.ts'
import { isUuid, type PageRequest, pageRequest, platformPage } from '../http/page.ts'
import type { Answer } from '../http/route.ts'
import type { Runtime } from '../runtime.ts'
import { visibleTo } from './decisions/visible-to.ts'
import type { Caller } from '../http/access.ts'
import { findCallerReach } from './require.ts'
import type { ResourceType } from './schema.ts'

interface ListRequest {
  caller: Caller
  query: { limit: number; cursor?: string; search?: string }
  request: FastifyRequest
}

interface VisibleList<Row, Item> {
  type: ResourceType
  /** The columns of the list's query. */
  columns: Parameters<typeof visibleTo>[1]
  /** Columns of text in which `search` of the query looks. */
  searched?: readonly string[]
  /** Whether a cursor may name this id. Default: UUIDs. */
  isId?: (id: string) => boolean
  /** Returns one row more than the page's limit if more follow. */
  list: (
    db: Kysely<Tables>,
    tenantId: string,
    visible: Expression<SqlBool>,
    page: PageRequest,
  ) => Promise<Row[]>
  shape: (row: Row) => Item
}

/** Answers a page of the objects that the caller may view. @throws validation_error for a cursor of another list */
export async function listVisible<Row extends { id: string }, Item>(
  ctx: Pick<Runtime, 'db' | 'pool'>,
  { caller, query, request }: ListRequest,
  { type, columns, searched = [], isId = isUuid, list, shape }: VisibleList<Row, Item>,
): Promise<Answer> {
  const page = pageRequest(query, isId)
  const visible = visibleTo(await findCallerReach(ctx, caller, type), columns)
  const found = both(visible, contains(query.search, searched))
  const rows = await list(ctx.db, caller.tenantId, found, page)
  const toItem = shape as (row: { id: string }) => Item
  return platformPage<{ id: string }, Item>({ rows, limit: page.limit, shape: toItem, request })
}
