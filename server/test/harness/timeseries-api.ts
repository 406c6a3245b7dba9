/** The timeseries routes alone, called by the owner of any tenant. */
import type { TestDatabase } from './database.ts'
import { testLog } from './log.ts'
import { ownerOf } from './telemetry.ts'
import { createDecisions } from '../../src/access/decisions.ts'
import type { Guards } from '../../src/http/access.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { timeseriesRoutes } from '../../src/timeseries/routes.ts'

export type TimeseriesApi = ReturnType<typeof timeseriesApi>

export function timeseriesApi({ db, pool }: Pick<TestDatabase, 'db' | 'pool'>) {
  const ctx = { db, pool, decisions: createDecisions(pool) }
  const guards = {
    user: async (_access: unknown, request: { headers: Record<string, unknown> }) => ({
      kind: 'user',
      tenantId: request.headers['x-tenant'],
      userId: ownerOf(String(request.headers['x-tenant'])),
      privileges: null,
    }),
  } as unknown as Guards
  const app = createHttpServer({ routes: timeseriesRoutes(ctx), guards, log: testLog, trustProxy: false })
  return {
    app,
    async post(tenantId: string, path: string, payload: object, headers: Record<string, string> = {}) {
      const response = await app.inject({
        method: 'POST',
        url: path,
        payload,
        headers: { 'x-tenant': tenantId, ...headers },
      })
      const isJson = String(response.headers['content-type']).startsWith('application/json')
      return {
        status: response.statusCode,
        headers: response.headers,
        // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
        body: (isJson ? response.json() : response.body) as any,
      }
    },
  }
}
