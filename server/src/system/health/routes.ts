/** The state of the whole installation, for owners of the environment only. [docs/operating#health] */
import Type from 'typebox'
import { ENVIRONMENT_ID } from '../../access/relations/store.ts'
import type { Context } from '../../context.ts'
import { permission } from '../../http/access.ts'
import { pageRequest, platformPage, PlatformPageQuery } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import type { Parts } from '../../parts.ts'
import { isJobId, jobStates, listJobs } from '../../jobs/job-records.ts'
import { readHealth } from './read-health.ts'
import { HealthRecord, JobRecord, jobShape } from './schema.ts'

const ofEnvironment = () => permission('manage', 'environment', () => ENVIRONMENT_ID)

export const healthRoutes = (ctx: Context & Pick<Parts, 'ingest' | 'stream'>): Route[] => [
  route({
    method: 'GET',
    url: '/v1/system/health',
    operationId: 'getHealth',
    summary: 'Nodes, ingest, jobs, deliveries, dead letters, the database and the disk of the installation',
    access: ofEnvironment(),
    response: { 200: HealthRecord },
    handler: async ({ caller }) => {
      using query = ctx.queries.open(caller.tenantId, 'database')
      return await readHealth(ctx, query.db)
    },
  }),
  route({
    method: 'GET',
    url: '/v1/system/jobs',
    operationId: 'listJobs',
    summary: 'List the jobs of all tenants, the oldest first',
    access: ofEnvironment(),
    query: Type.Object({
      ...PlatformPageQuery.properties,
      state: Type.Optional(Type.Enum([...jobStates], { description: 'Only jobs in this state' })),
      task: Type.Optional(Type.String({ maxLength: 128, description: 'Only jobs of this task' })),
    }),
    response: { 200: Type.Array(JobRecord) },
    handler: async ({ caller, query, request }) => {
      const page = pageRequest(query, isJobId)
      using open = ctx.queries.open(caller.tenantId, 'database')
      const rows = await listJobs(open.db, query, page)
      return platformPage({ rows, limit: page.limit, shape: jobShape, request })
    },
  }),
]
