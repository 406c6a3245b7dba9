/** Routes of the process itself: its addresses and the API description; health and metrics are in `health-routes.ts`. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import Type from 'typebox'
import type { Context } from '../context.ts'
import { open, user } from '../http/access.ts'
import { answer, route, type Route } from '../http/route.ts'
import { FreeObject } from '../http/shapes.ts'
import { docsPage, docsPolicy, showReferenceScript } from './docs-page.ts'

const require = createRequire(import.meta.url)

const Text = Type.String()
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
export function systemRoutes(ctx: Context, describe: () => object): Route[] {
  return [
    route({
      method: 'GET',
      url: '/v1/endpoints',
      operationId: 'getEndpoints',
      summary:
        'Get the addresses of the API, the onboarding service and the broker; a node that is no gateway answers with the ' +
        'ports that GANGWAY_MQTT_PORT and GANGWAY_MQTTS_PORT name',
      access: user(),
      response: { 200: EndpointsRecord },
      handler: async () => ({
        mqtt: `mqtt://127.0.0.1:${ctx.config.mqttPort}`,
        mqtts: `mqtts://127.0.0.1:${ctx.config.mqttsPort}`,
        ...ctx.endpoints,
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

const readDocsAsset = async (name: keyof typeof assetTypes) =>
  name === 'show-reference.js'
    ? showReferenceScript
    : readFile(join(dirname(require.resolve('swagger-ui-dist/package.json')), name))
