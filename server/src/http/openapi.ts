/** The routes as an OpenAPI 3.1 description. A schema with a title becomes a component of that name. */
import { IsOptional, type TSchema } from 'typebox'
import type { Access } from './access.ts'
import { errorCodes } from './errors.ts'
import { refusalResponses, refusalsOf } from './openapi-refusals.ts'
import { unknownFieldsOf } from './read-input.ts'
import { apiOf, type Route } from './route.ts'

type Json = Record<string, unknown>

/** @param examples request bodies by method and path */
export function describeApi(routes: Route[], version: string, examples: Json = {}): Json {
  const components: Record<string, unknown> = errorSchemas()
  const paths: Record<string, Json> = {}
  for (const route of [...routes].toSorted((a, b) => (a.url < b.url ? -1 : 1))) {
    const path = (paths[route.url] ??= {})
    path[route.method.toLowerCase()] = operation(route, components, examples[`${route.method} ${route.url}`])
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gangway',
      version,
      description:
        'IoT device platform with the onboarding service in front of it. Every platform path also answers without `/v1`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to where the description is served.
    servers: [{ url: '/', description: 'This installation' }],
    paths,
    components: {
      responses: refusalResponses(),
      schemas: Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token or API token' },
        bootstrapKey: { type: 'http', scheme: 'basic', description: 'Device id and bootstrap key' },
        webhookSignature: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Webhook-Signature',
          description: 'Hex HMAC-SHA256 of the body, keyed with the webhook secret of the routing target',
        },
      },
    },
  }
}

function errorSchemas(): Record<string, Json> {
  const error = { type: 'string', enum: errorCodes }
  const message = { type: 'string', description: 'Says what to do' }
  const details = { type: 'object', description: 'Context fields' }
  return {
    OnboardingError: { type: 'object', required: ['error', 'message'], properties: { error, message } },
    PlatformError: {
      type: 'object',
      required: ['error', 'message', 'details'],
      properties: { error, message, details },
    },
  }
}

function operation(route: Route, components: Json, example: unknown): Json {
  const schemaOf = (schema: TSchema) => hoist(schema, components)
  const parameters = [
    ...parametersOf(route.params, 'path', schemaOf),
    ...parametersOf(route.query, 'query', schemaOf),
  ]
  const requestBody = requestBodyOf(route, schemaOf, example)
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [tagOf(route)],
    security: securityOf(route.access),
    ...descriptionOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: responsesOf(route, schemaOf),
  }
}

/** `GET /v1/providers/{providerId}/clients` → `getProvidersClients`; parameters at the end keep it apart from its siblings. */
function operationId({ method, url }: Route) {
  const parts = url
    .replace(/^\/v1/, '')
    .split(/[/._-]/)
    .filter(Boolean)
  const words = parts
    .map((part) => (part.startsWith('{') ? `By-${part.slice(1, -1)}` : part))
    .flatMap((part) => part.split('-'))
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

function tagOf(route: Route): string {
  const api = apiOf(route)
  return api === 'platform' ? route.url.split('/')[2]! : api
}

function securityOf({ kind }: Access): Json[] {
  if (kind === 'open') return []
  return [{ [kind === 'bootstrapKey' || kind === 'webhookSignature' ? kind : 'bearer']: [] }]
}

function descriptionOf(route: Route): { description?: string } {
  const sentences = [
    accessSentence(route.access),
    route.body && unknownFieldsOf(route) === 'refuse' && 'Unknown fields are refused.',
  ].filter((sentence) => typeof sentence === 'string')
  return sentences.length > 0 ? { description: sentences.join(' ') } : {}
}

function accessSentence(access: Access): string | undefined {
  switch (access.kind) {
    case 'privilege':
      return `Needs the privilege \`${access.privilege}\`${access.inRoot ? " in the tenant's root organization" : ''}.`
    case 'permission':
      return `Needs the permission \`${access.permission}\` on the ${access.type}.`
    case 'visible':
      return 'Answers what the caller may view.'
    default:
      return undefined
  }
}

function parametersOf(
  schema: TSchema | undefined,
  place: 'path' | 'query',
  schemaOf: (s: TSchema) => unknown,
): Json[] {
  const object = schema as { properties?: Record<string, TSchema>; required?: string[] } | undefined
  return Object.entries(object?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (object?.required?.includes(name) && !('default' in property)) || false,
    schema: schemaOf(property),
  }))
}

function requestBodyOf(route: Route, schemaOf: (s: TSchema) => unknown, example: unknown): Json | undefined {
  if (route.body) {
    const content = { schema: schemaOf(route.body), ...(example !== undefined && { example }) }
    return { required: !IsOptional(route.body), content: { 'application/json': content } }
  }
  if (!route.rawBody) return undefined
  const { contentType, schema } = route.rawBody
  return {
    required: true,
    content: {
      [contentType === '*' ? '*/*' : contentType]: { schema: schema ? schemaOf(schema) : { type: 'string' } },
    },
  }
}

function responsesOf(route: Route, schemaOf: (s: TSchema) => unknown): Json {
  const answers = Object.entries(route.response).map(([status, schema]) => [
    status,
    {
      description: Number(status) < 300 ? 'Done' : 'Refused',
      ...(schema && { content: { [route.produces ?? 'application/json']: { schema: schemaOf(schema) } } }),
    },
  ])
  return { ...refusalsOf(route), ...Object.fromEntries(answers) }
}

const referenceTo = (title: string) => ({ $ref: `#/components/schemas/${title}` })

/**
 * A copy of the schema in which each titled part is a reference.
 * @param within the titled schema around it, which a recursive one calls `#`
 */
function hoist(schema: unknown, components: Json, within?: string): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoist(part, components, within))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title = within, ...rest } = schema as { title?: string; $ref?: string }
  if (rest.$ref === '#') return referenceTo(title!)
  const copy = Object.fromEntries(
    Object.entries(rest).map(([key, part]) => [key, hoist(part, components, title)]),
  )
  if (title === within) return copy
  const known = components[title!]
  if (known && JSON.stringify(known) !== JSON.stringify(copy))
    throw new Error(`two different schemas are called ${title}`)
  components[title!] = copy
  return referenceTo(title!)
}
