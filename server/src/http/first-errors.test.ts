/** Common errors in first requests, and the sentence that explains each. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const postIssues = async (path: string, body: unknown) => {
  const answer = await platform.post(path, body)
  expect(answer.status).toBe(400)
  return answer.body.details.issues as { path: string; message: string }[]
}
const alarm = (fields: object) => postIssues('/v1/alarms', { name: 'Hot', ...fields })

test('a condition sent as an object is refused, and the message shows it as text', async () => {
  const condition = { '>': [{ var: 'temperature' }, 80] }
  const text = JSON.stringify(JSON.stringify(condition))
  expect(await alarm({ condition })).toEqual([
    { path: 'condition', message: `must be JSON as text; this is an object. Send it in quotes: ${text}` },
  ])
  const [long] = await alarm({ clearCondition: ['x'.repeat(10_000)] })
  expect(long!.path).toBe('clearCondition')
  expect(long!.message.length).toBeLessThan(250)
})

test.each([
  ['a condition of another type', { condition: 5 }, 'condition', 'must be a string or null; this is 5'],
  ['an empty condition', { condition: '' }, 'condition', 'must not be empty'],
  ['a number as text', { severity: '4' }, 'severity', 'must be an integer; this is a string'],
  ['a fraction', { severity: 1.5 }, 'severity', 'must be an integer; this is 1.5'],
  ['null', { severity: null }, 'severity', 'must be an integer; this is null'],
  ['text for a list', { entityIds: 'pump' }, 'entityIds', 'must be an array; this is a string'],
  ['a list for text', { description: [] }, 'description', 'must be a string or null; this is an array'],
  [
    'an id with spaces',
    { entityIds: ['a b'] },
    'entityIds.0',
    'does not fit: 1 to 128 letters, digits, `.`, `_`, `-`, `:`, `;`; not `.` or `..`',
  ],
  [
    'an id that is not a UUID',
    { organizationId: 'root' },
    'organizationId',
    'must be a UUID, such as 0190b0f0-0000-7000-8000-000000000000',
  ],
] as const)('%s is described in one sentence', async (_what, fields, path, message) => {
  expect(await alarm(fields)).toEqual([{ path, message }])
})

test('a field of a wrong type within an optional object is named alone', async () => {
  const body = { items: [{ assetId: 1, componentId: null, timeseries: [] }] }
  expect(await postIssues('/v1/timeseries/get/last', body)).toContainEqual({
    path: 'items.0.assetId',
    message: 'must be a string or null; this is 1',
  })
})

test('a missing body is said to be missing', async () => {
  expect(await postIssues('/v1/assets', undefined)).toEqual([
    { path: 'body', message: 'is missing: send an object as JSON' },
  ])
  expect(await postIssues('/v1/assets', [])).toEqual([
    { path: 'body', message: 'must be an object; this is an array' },
  ])
})

test.each([
  ["{'a': 1}", ''],
  ['{"a": 1,\n "password": "geheim" x}', ' at line 2, column 23'],
  ['{"a": 1', ' at line 1, column 8'],
])('what is no JSON is said to be none, and nothing of it is repeated: %s', async (body, place) => {
  const { status, body: answer } = await platform.post('/v1/assets', body, {
    headers: { 'content-type': 'application/json' },
  })
  expect([status, answer.message]).toEqual([400, expect.stringContaining('body: is not JSON')])
  expect(answer.message).toContain('double quotes')
  expect(answer.message).not.toContain('geheim')
  // Node 20 does not give the position of every syntax error.
  if (place !== '') expect(answer.message).toContain(place)
})

test.each([
  [undefined, 'has no Content-Type'],
  ['application/x-www-form-urlencoded', 'is "application/x-www-form-urlencoded"'],
])('a body with Content-Type %s is refused with the type to send', async (type, found) => {
  const headers = { 'content-type': type ?? '' }
  const { status, body } = await platform.post('/v1/assets', Buffer.from('{}'), { headers })
  expect([status, body.message]).toEqual([
    415,
    `Send the body with \`Content-Type: application/json\`; this one ${found}.`,
  ])
})

test.each([
  ['a token without its scheme', (token: string) => token, 'the word `Bearer` is missing'],
  ['another scheme', (token: string) => `Token ${token}`, 'not by another scheme'],
  ['a token in quotes', (token: string) => `Bearer "${token}"`, 'without quotes'],
  ['no token', () => 'Bearer', 'the token alone'],
  ['Basic', () => `Basic ${btoa('a:b')}`, '`Basic` is how a device signs in, at /get_settings alone'],
  ['half a token', (token: string) => `Bearer ${token.slice(0, 40)}`, 'expired, revoked or wrong'],
])('an Authorization header with %s is refused with the header to send', async (_what, write, sentence) => {
  const authorization = write(platform.adminToken)
  const { status, body, headers } = await platform.get('/v1/assets', {
    token: null,
    headers: { authorization },
  })
  expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expect(body.message).toContain(sentence)
  expect(body.message).not.toContain(platform.adminToken.slice(0, 40))
})

test.each([
  ['GET', '/v1/assets/', '/v1/assets'],
  ['GET', '/v1//assets', '/v1/assets'],
  ['GET', '/v1/assets//bindings', undefined],
  ['DELETE', '/v1/assets/', '/v1/assets'],
  ['GET', '/api/enrollment-groups/', '/api/enrollment-groups'],
  ['GET', '/v1/enrollment-groups', '/api/enrollment-groups'],
  ['GET', '/v1/api/routing-targets', '/api/routing-targets'],
  ['GET', '/api/assets/pump', '/v1/assets/pump'],
  ['GET', '/api/v1/assets', '/v1/assets'],
  ['GET', '/v2/assets', '/v1/assets'],
  ['GET', '/v1/Assets', '/v1/assets'],
  ['GET', '/v1/asset', '/v1/assets'],
  ['POST', '/v1/provision_device', '/provision_device'],
  ['GET', '/api/get_settings', '/get_settings'],
  ['POST', '/v1/timeseries/query', '/v1/timeseries/get'],
  ['GET', '/v1/nothing/of/this', undefined],
  ['GET', `/v1/${'x'.repeat(5000)}`, undefined],
])('%s %s is no route, and the answer names %s', async (method, path, nearest) => {
  const { status, body } = await platform.request(method, path)
  const shown = path.slice(0, 256)
  expect([status, body.error]).toEqual([404, 'not_found'])
  expect(body.message).toBe(
    `There is no route ${method} ${shown}.${nearest ? ` Did you mean ${nearest}?` : ''}`,
  )
})

test('a wrong method is refused with the allowed ones', async () => {
  const { status, body, headers } = await platform.put('/v1/alarms', {})
  expect([status, headers.get('allow')]).toEqual([405, 'POST, GET, HEAD'])
  expect(body.message).toBe('/v1/alarms takes POST, GET, HEAD, not PUT.')
})
