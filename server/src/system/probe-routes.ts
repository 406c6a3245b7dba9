/** Routes that every node serves, whatever its roles: health, readiness, metrics, and the CA of its listeners. */
import Type from 'typebox'
import type { Context } from '../context.ts'
import { open } from '../http/access.ts'
import { ApiError } from '../http/errors.ts'
import { answer, route, type Route } from '../http/route.ts'
import type { Parts } from '../parts.ts'
import { findTextFile } from '../lib/find-text-file.ts'
import { authorityFile } from '../tls/server-certificate.ts'
import { requireMetricsToken } from './metrics-token.ts'
import { createReadiness } from './readiness.ts'

const Text = Type.String()
const Status = Type.Object({ status: Type.String() })
const Readiness = Type.Object(
  {
    status: Type.Enum(['ok', 'unavailable', 'stopping'], {
      description: '`stopping` once the server was asked to stop: it answers until it is drained.',
    }),
    database: Type.Boolean(),
    broker: Type.Optional(
      Type.Boolean({ description: 'Devices can connect. Absent on a node that is no gateway.' }),
    ),
    ingest: Type.Boolean({ description: 'Messages are being committed: none has waited for 3 s.' }),
    stream: Type.Optional(
      Type.Enum(['ok', 'full', 'away'], {
        description:
          'Whether the stream accepts messages of devices: it is full, or does not answer. Absent without `GANGWAY_INGEST=stream`, and on a node that is no gateway.',
      }),
    ),
    nodes: Type.Boolean({
      description:
        'Messages of other nodes come at once, and by NATS where it is configured. Everything works without NATS, more slowly.',
    }),
    files: Type.Boolean({ description: 'The storage of files answers. Everything else works without it.' }),
    disk: Type.Boolean({ description: 'There is space left on the disks of the platform.' }),
  },
  { title: 'Readiness' },
)

export function probeRoutes(ctx: Context & Pick<Parts, 'ingest' | 'stream'>): Route[] {
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
        const { files: _files, nodes: _nodes, stream = 'ok', ...needed } = parts
        if (ctx.shutdown.isRequested) return answer(503, { status: 'stopping', ...parts })
        const isReady = Object.values(needed).every(Boolean) && stream === 'ok'
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
