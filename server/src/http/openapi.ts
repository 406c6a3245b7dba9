/** Describes the routes in OpenAPI 3.1. A schema with a title becomes a component of that name. */
import { IsOptional, type TSchema } from 'typebox'
import type { Access } from './access.ts'
import { errorCodes } from './errors.ts'
import { makeExample, type Samples } from './openapi-example.ts'
import { describeFields, describeParameter, type Glossary } from './openapi-descriptions.ts'
import { makeOperationId } from './operation-id.ts'
import { refusalResponses, describeRefusals } from './openapi-refusals.ts'
import { unknownFieldPolicy } from './read-input.ts'
import { findApi, type Route } from './route.ts'

type Json = Record<string, unknown>

export interface ApiTexts {
  /** Examples of request bodies, by method and path. */
  requestExamples: Json
  /** Meanings of fields and parameters, by name. */
  glossary: Glossary
  /** Values of fields in the examples of answers, by name. */
  sampleValues: Samples
}

interface Described {
  components: Record<string, unknown>
  words: ApiTexts
}

export function describeApi(routes: Route[], version: string, words: ApiTexts): Json {
  const components: Record<string, unknown> = errorSchemas()
  const described = { components, words }
  const paths: Record<string, Json> = {}
  for (const route of [...routes].toSorted((a, b) => (a.url < b.url ? -1 : 1))) {
    const path = (paths[route.url] ??= {})
    path[route.method.toLowerCase()] = operation(route, described)
  }
  for (const [title, schema] of Object.entries(components)) describeFields(schema, words.glossary, title)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gangway',
      version,
      description:
        'IoT device platform with the onboarding service in front of it. Every platform path also answers without `/v1`. Timestamps are ISO 8601 in UTC, with milliseconds.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the URL of the description.
    servers: [{ url: '/', description: 'This installation' }],
    paths,
    components: {
      responses: pickUsed(refusalResponses(), paths),
      schemas: Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token or API token' },
        deviceEnrollment: {
          type: 'http',
          scheme: 'basic',
          description: 'Device id and bootstrap key or derived key; or a TLS client certificate without them',
        },
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

/** Drops responses that no route refers to. */
function pickUsed(responses: Json, paths: Json): Json {
  const text = JSON.stringify(paths)
  return Object.fromEntries(
    Object.entries(responses).filter(([name]) => text.includes(`/responses/${name}"`)),
  )
}

function errorSchemas(): Record<string, Json> {
  const error = { type: 'string', enum: errorCodes }
  const message = { type: 'string', description: 'The message, which says what to do' }
  const details = { type: 'object', description: 'Context fields' }
  return {
    OnboardingError: {
      type: 'object',
      required: ['error', 'message'],
      properties: {
        error,
        message,
        details: { ...details, description: 'Context fields of `devices_not_ready`' },
      },
    },
    PlatformError: {
      type: 'object',
      required: ['error', 'message', 'details'],
      properties: { error, message, details },
    },
  }
}

function operation(route: Route, { components, words }: Described): Json {
  const describeSchema = (schema: TSchema) => {
    const described = hoist(schema, components)
    describeFields(described, words.glossary, '')
    return described
  }
  const parameters = [
    ...describeParameters(route.params, 'path', describeSchema),
    ...describeParameters(route.query, 'query', describeSchema),
  ].map((parameter) => describeParameter(parameter, words.glossary))
  const requestBody = describeRequestBody(
    route,
    describeSchema,
    words.requestExamples[`${route.method} ${route.url}`],
  )
  return {
    operationId: makeOperationId(route),
    summary: route.summary,
    tags: [chooseTag(route)],
    security: describeSecurity(route.access),
    ...describeRoute(route),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: describeResponses(route, describeSchema, words.sampleValues),
  }
}

function chooseTag(route: Route): string {
  const api = findApi(route)
  return api === 'platform' ? route.url.split('/')[2]! : api
}

const deviceSchemes: readonly string[] = ['bootstrapKey', 'deviceEnrollment', 'webhookSignature']

function describeSecurity({ kind }: Access): Json[] {
  if (kind === 'open') return []
  return [{ [deviceSchemes.includes(kind) ? kind : 'bearer']: [] }]
}

function describeRoute(route: Route): { description?: string } {
  const sentences = [
    accessSentence(route.access),
    route.body && unknownFieldPolicy(route) === 'refuse' && 'Unknown fields are refused.',
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
      return 'Answers only what the caller may view.'
    default:
      return undefined
  }
}

function describeParameters(
  schema: TSchema | undefined,
  place: 'path' | 'query',
  describeSchema: (s: TSchema) => unknown,
): Json[] {
  const object = schema as { properties?: Record<string, TSchema>; required?: string[] } | undefined
  return Object.entries(object?.properties ?? {}).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (object?.required?.includes(name) && !('default' in property)) || false,
    schema: describeSchema(property),
  }))
}

function describeRequestBody(
  route: Route,
  describeSchema: (s: TSchema) => unknown,
  example: unknown,
): Json | undefined {
  if (route.body) {
    const content = { schema: describeSchema(route.body), ...(example !== undefined && { example }) }
    return { required: !IsOptional(route.body), content: { 'application/json': content } }
  }
  if (!route.rawBody) return undefined
  const { contentType, schema } = route.rawBody
  return {
    required: true,
    content: {
      [contentType === '*' ? '*/*' : contentType]: {
        schema: schema ? describeSchema(schema) : { type: 'string' },
      },
    },
  }
}

function describeResponses(route: Route, describeSchema: (s: TSchema) => unknown, samples: Samples): Json {
  const describeContent = (schema: TSchema) => {
    if (route.produces) return { [route.produces]: { schema: describeSchema(schema) } }
    return { 'application/json': { schema: describeSchema(schema), example: makeExample(schema, samples) } }
  }
  const answers = Object.entries(route.response).map(([status, schema]) => [
    status,
    {
      description: Number(status) < 300 ? 'Done' : 'Refused',
      ...(schema && { content: describeContent(schema) }),
    },
  ])
  return { ...describeRefusals(route), ...Object.fromEntries(answers) }
}

const referenceTo = (title: string) => ({ $ref: `#/components/schemas/${title}` })

const mapValues = (object: Json, map: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))

interface Titled extends Json {
  title?: string
  shownAs?: unknown
}

/**
 * Copies the schema with a reference in place of each titled part.
 * @param within title of the enclosing schema, to which a recursive schema refers as `#`
 */
function hoist(schema: unknown, components: Json, within?: string): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoist(part, components, within))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title = within, shownAs, ...rest } = schema as Titled
  if (shownAs) return hoist(shownAs, components, within)
  if (rest.$ref === '#') return referenceTo(title!)
  const copyPart = (part: unknown) => hoist(part, components, title)
  const copy = Object.fromEntries(
    Object.entries(rest).map(([key, part]) => [
      key,
      // A field may have any name, such as `title`.
      key === 'properties' ? mapValues(part as Json, copyPart) : copyPart(part),
    ]),
  )
  if (title === within) return copy
  const known = components[title!]
  if (known && JSON.stringify(known) !== JSON.stringify(copy))
    throw new Error(`two different schemas are called ${title}`)
  components[title!] = copy
  return referenceTo(title!)
}
