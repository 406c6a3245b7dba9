/** The timeseries routes alone, called by the owner of any tenant. */
import type { TestDatabase } from './database.ts'
import { testLog } from './log.ts'
import { tenantOwner } from './telemetry.ts'
import { createDecisions } from '../../src/access/decisions/decisions.ts'
import { createQueries } from '../../src/database/queries.ts'
import type { Guards } from '../../src/http/access.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { timeseriesRoutes } from '../../src/timeseries/routes.ts'

export type TimeseriesApi = ReturnType<typeof timeseriesClient>

export function timeseriesApi({ db, pool, queryPool }: Pick<TestDatabase, 'db' | 'pool' | 'queryPool'>) {
  const ctx = { db, pool, decisions: createDecisions(pool), queries: createQueries(queryPool) }
  const guards = {
    user: async (_access: unknown, request: { headers: Record<string, unknown> }) => {
      const tenantId = String(request.headers['x-tenant'])
      const tenant = await db
        .selectFrom('tenants')
        .select('number')
        .where('id', '=', tenantId)
        .executeTakeFirst()
      const userId = tenantOwner(tenantId)
      return { kind: 'user', tenantId, tenantNumber: tenant?.number, userId, privileges: null }
    },
  } as unknown as Guards
  const app = createHttpServer({ routes: timeseriesRoutes(ctx), guards, log: testLog, trustProxy: false })
  // It is idle between calls, and holds no process.
  const listening = app.listen({ host: '127.0.0.1', port: 0 }).then((url) => (app.server.unref(), url))
  return { ...timeseriesClient(listening), listening, queries: ctx.queries }
}

/** Calls the routes of another process. */
export function timeseriesClient(url: string | Promise<string>) {
  const send = async (
    tenantId: string,
    path: string,
    payload: object,
    headers: Record<string, string> = {},
  ) =>
    fetch((await url) + path, {
      method: 'POST',
      body: JSON.stringify(payload),
      headers: { 'x-tenant': tenantId, 'content-type': 'application/json', ...headers },
    })
  return {
    send,
    async post(...request: Parameters<typeof send>) {
      const response = await send(...request)
      const isJson = response.headers.get('content-type')?.startsWith('application/json')
      return {
        status: response.status,
        headers: response.headers,
        // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
        body: (isJson ? await response.json() : await response.text()) as any,
      }
    },
  }
}
