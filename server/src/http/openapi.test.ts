import Type from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { apiRoutes } from '../routes.ts'
import { requestExamples } from '../system/examples.ts'
import { glossary } from '../system/glossary.ts'
import { words } from '../system/words.ts'
import { open } from './access.ts'
import { describeApi } from './openapi.ts'
import { isDescribed, type Schema } from './openapi-descriptions.ts'
import { route as defineRoute, type Route } from './route.ts'

interface Operation {
  description?: string
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { $ref?: string }>
}

interface Response {
  headers: object
  content: Record<string, { example: { error: string } }>
}

interface Description {
  servers: object[]
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, Response> }
}

let platform: Platform
let routes: Route[]
let description: Description
beforeAll(async () => {
  platform = await startPlatform()
  routes = apiRoutes(platform.ctx, platform.parts)
  description = (await platform.get('/openapi.json')).body
})
afterAll(() => platform[Symbol.asyncDispose]())

const operation = (name: string): Operation => {
  const [method = '', path = ''] = name.split(' ')
  return description.paths[path]![method.toLowerCase()]!
}

test('every body that the reference describes has an example, which the route accepts', () => {
  const problems = routes
    .filter((route) => route.body)
    .map(({ method, url, body }) => ({ name: `${method} ${url}`, body: body! }))
    .filter(({ name, body }) => {
      const { example } = operation(name).requestBody!.content['application/json']!
      return example === undefined || !Value.Check(body, example)
    })
  expect(problems.map(({ name }) => name)).toEqual([])
  const names = routes.map(({ method, url }) => `${method} ${url}`)
  expect(Object.keys(requestExamples).filter((name) => !names.includes(name))).toEqual([])
})

test('a field may be named title', () => {
  const shown = (title: string) =>
    defineRoute({
      method: 'GET',
      url: `/v1/${title}`,
      summary: title,
      access: open(),
      response: { 200: Type.Object({ title: Type.String() }, { title }) },
      handler: () => Promise.resolve({ title }),
    })
  const { components } = describeApi([shown('notes'), shown('books')], '1', words) as {
    components: { schemas: Record<string, object> }
  }
  for (const name of ['notes', 'books'])
    expect(components.schemas[name]).toMatchObject({ properties: { title: { type: 'string' } } })
})

test('refusals are described by status, in the shape of their API', () => {
  const statuses = (name: string) => Object.keys(operation(name).responses)
  expect(statuses('POST /v1/assets')).toEqual([
    '201',
    '400',
    '401',
    '403',
    '404',
    '409',
    '413',
    '415',
    '429',
    '5XX',
  ])
  expect(statuses('GET /get_settings')).toContain('409')
  expect(statuses('POST /provision_device')).toContain('422')
  expect(operation('GET /v1/assets').responses['400']).toEqual({
    $ref: '#/components/responses/Platform400',
  })
  expect(operation('GET /get_settings').responses['401']).toEqual({
    $ref: '#/components/responses/Onboarding401',
  })
  const { Platform400, Onboarding400 } = description.components.responses
  expect(Object.keys(Platform400!.headers)).toContain('X-RateLimit-Reset')
  expect(Onboarding400!.content['application/json']!.example).toEqual({
    error: 'validation_error',
    message: expect.any(String),
  })
})

test('the description names the routes that refuse unknown fields, and the address of the API', () => {
  expect(operation('POST /v1/timeseries/get').description).toContain('Unknown fields are refused.')
  expect(operation('POST /v1/assets').description).not.toContain('Unknown fields')
  expect(description.servers).toHaveLength(1)
})

const operations = () =>
  Object.values(description.paths).flatMap((methods) =>
    Object.values(methods as unknown as Record<string, NamedOperation>),
  )
interface NamedOperation extends Operation {
  operationId: string
  tags: string[]
  parameters?: { name: string; description?: string }[]
}

const VERBS =
  'acknowledge add backtest bind cancel change check confirm create delete derive download enroll explain flip forecast ' +
  'generate get import inject invoke list log migrate move negotiate patch pause preview provision query receive refresh ' +
  'remove renew replace request restore resume revoke rotate send start stop try update upload validate'

test('operation ids are short, consist of a verb and a noun, and are unique', () => {
  const ids = operations().map(({ operationId }) => operationId)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => id.length > 30)).toEqual([])
  const named = new RegExp(`^(${VERBS.replaceAll(' ', '|')})[A-Z][A-Za-z]+$`)
  expect(ids.filter((id) => !named.test(id))).toEqual([])
  expect(ids).toEqual(expect.arrayContaining(['listClients', 'getClient', 'createClient', 'queryTimeseries']))
})

test('every JSON answer has an example that matches its schema', () => {
  const wrong = routes.flatMap(({ method, url, response, produces }) =>
    Object.entries(response)
      .filter(([, schema]) => schema && !produces)
      .filter(([status, schema]) => {
        const answer = operation(`${method} ${url}`).responses[status] as {
          content: Record<string, { example?: unknown }>
        }
        const { example } = answer.content['application/json']!
        return example === undefined || !Value.Check(schema!, example)
      })
      .map(([status]) => `${method} ${url} ${status}`),
  )
  expect(wrong).toEqual([])
})

test('every field and every parameter is described', () => {
  const undescribed = new Set<string>()
  const look = (schema: Schema | undefined, place: string) => {
    if (!schema) return
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (!isDescribed(field)) undescribed.add(`${place}.${name}`)
      look(field, `${place}.${name}`)
    }
    for (const part of [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) look(part, place)
  }
  const { schemas } = description.components as unknown as { schemas: Record<string, Schema> }
  for (const [title, schema] of Object.entries(schemas)) look(schema, title)
  for (const { operationId, requestBody, parameters = [] } of operations()) {
    const contents = Object.values(requestBody?.content ?? {}) as { schema?: Schema }[]
    for (const { schema } of contents) look(schema, operationId)
    for (const { name, description: meaning } of parameters)
      if (!meaning) undescribed.add(`${operationId} ${name}`)
  }
  expect([...undescribed]).toEqual([])
})

test('each word of the glossary is the name of a field', () => {
  const text = JSON.stringify(description)
  const unused = Object.keys(glossary).filter(
    (word) => !text.includes(JSON.stringify(word.split('.').at(-1))),
  )
  expect(unused).toEqual([])
})
