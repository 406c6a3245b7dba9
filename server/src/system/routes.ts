/** Routes of the process itself: health, readiness, metrics, and the API description. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Type from 'typebox'
import type { Context } from '../context.ts'
import { open, user } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { answer, route, type Route } from '../http/route.ts'
import { FreeObject } from '../http/shapes.ts'
import { findTextFile } from '../lib/find-text-file.ts'
import { authorityFile } from '../tls/server-certificate.ts'
import { docsPage, docsPolicy, showReferenceScript } from './docs-page.ts'
import { requireMetricsToken } from './metrics-token.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { createReadiness } from './readiness.ts'

const require = createRequire(import.meta.url)

const Text = Type.String()
const Status = Type.Object({ status: Type.String() })
const Readiness = Type.Object(
  {
    status: Type.Enum(['ok', 'unavailable']),
    database: Type.Boolean(),
    broker: Type.Boolean(),
    ingest: Type.Boolean({ description: 'Messages are being committed: none has waited for 3 s.' }),
    files: Type.Boolean({ description: 'The storage of files answers. Everything else works without it.' }),
    disk: Type.Boolean({ description: 'There is space left on the disks of the platform.' }),
  },
  { title: 'Readiness' },
)

const EndpointsRecord = Type.Object(
  {
    http: Type.String(),
    onboarding: Type.String(),
    https: Type.String(),
    mqtt: Type.String(),
    mqtts: Type.String(),
  },
  { title: 'Endpoints' },
)

const assetTypes = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
  'show-reference.js': 'text/javascript',
} as const
const DocsAsset = Type.Enum(Object.keys(assetTypes) as (keyof typeof assetTypes)[])

/** @param describe makes the OpenAPI description; a function, since it includes these routes */
export function systemRoutes(ctx: Context & { ingest: Ingest }, describe: () => object): Route[] {
  const readiness = createReadiness(ctx)
  return [
    route({
      method: 'GET',
      url: '/healthz',
      operationId: 'checkHealth',
      summary: 'The process is up',
      access: open(),
      response: { 200: Status },
      handler: async () => ({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      url: '/readyz',
      operationId: 'checkReadiness',
      summary: 'Whether this server can do its work, part by part; it answers within 2 s',
      access: open(),
      response: { 200: Readiness, 503: Readiness },
      handler: async () => {
        const parts = await readiness()
        const { files: _, ...needed } = parts
        const isReady = Object.values(needed).every(Boolean)
        return answer(isReady ? 200 : 503, { status: isReady ? 'ok' : 'unavailable', ...parts })
      },
    }),
    route({
      method: 'GET',
      url: '/metrics',
      operationId: 'getMetrics',
      summary: 'Metrics as Prometheus text; with GANGWAY_METRICS_TOKEN set, only with that token as bearer',
      access: open(),
      response: { 200: Text },
      produces: 'text/plain',
      handler: async ({ request }) => {
        requireMetricsToken(ctx.config, request.headers.authorization)
        const { registry } = ctx.metrics
        return answer(200, await registry.metrics(), { 'content-type': registry.contentType })
      },
    }),
    route({
      method: 'GET',
      url: '/v1/endpoints',
      operationId: 'getEndpoints',
      summary: 'Get the addresses of the API, the onboarding service and the broker',
      access: user(),
      response: { 200: EndpointsRecord },
      handler: async () => ctx.endpoints,
    }),
    route({
      method: 'GET',
      url: '/v1/ca.crt',
      operationId: 'getCaCertificate',
      summary: 'The CA of the built-in certificate for MQTT over TLS, in PEM, for devices to trust',
      access: open(),
      response: { 200: Text },
      produces: 'application/x-pem-file',
      handler: async () =>
        answer(200, await readAuthority(ctx.config), {
          'content-type': 'application/x-pem-file',
          'content-disposition': 'attachment; filename="ca.crt"',
        }),
    }),
    route({
      method: 'GET',
      url: '/openapi.json',
      operationId: 'getDescription',
      summary: 'This description',
      access: open(),
      response: { 200: FreeObject },
      handler: async () => describe(),
    }),
    route({
      method: 'GET',
      url: '/docs',
      operationId: 'getReference',
      summary: 'The API reference, which can send requests',
      access: open(),
      response: { 200: Text },
      produces: 'text/html',
      handler: async () =>
        answer(200, docsPage, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': docsPolicy,
          'referrer-policy': 'no-referrer',
        }),
    }),
    route({
      method: 'GET',
      url: '/docs/{asset}',
      operationId: 'getReferenceFile',
      summary: 'Files of the API reference',
      access: open(),
      params: Type.Object({ asset: DocsAsset }),
      response: { 200: Text },
      produces: 'text/plain',
      handler: async ({ params }) =>
        answer(200, await readDocsAsset(params.asset), {
          'content-type': assetTypes[params.asset],
          'cache-control': 'public, max-age=86400',
        }),
    }),
  ]
}

async function readAuthority({ mqttsCertFile, dataDir }: Context['config']): Promise<string> {
  if (mqttsCertFile)
    throw new ApiError(
      'not_found',
      'This server shows its own certificate (GANGWAY_MQTTS_CERT_FILE). Ask its operator which CA issued it.',
    )
  const text = await findTextFile(authorityFile(dataDir))
  if (text === undefined) throw new ApiError('not_found', 'This server has no built-in certificate.')
  return text
}

const readDocsAsset = async (name: keyof typeof assetTypes) =>
  name === 'show-reference.js'
    ? showReferenceScript
    : readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), name))
