import { afterAll, beforeAll, expect, test } from 'vitest'
import { status, step } from '../../../test/harness/firmware.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeUser } from '../../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/firmware/deployment-templates'
const template = { displayName: 'T', description: null, version: '1', steps: [step], status }
const create = (fields: object = {}, options = {}) =>
  platform.post(url, { ...template, organizationId: platform.organizationId, ...fields }, options)

test('creates, reads and deletes a template [docs/firmware#deployment-templates]', async () => {
  const { status: code, body } = await create()
  expect(code).toBe(201)
  const expected = { ...template, templateId: body.templateId, organizationId: platform.organizationId }
  expect(body).toEqual(expected)
  const one = `${url}/${body.templateId}`
  expect((await platform.get(one)).body).toEqual(expected)
  expect((await platform.get(url)).body).toEqual([expected])
  expect((await platform.delete(one)).status).toBe(204)
  expect((await platform.delete(one)).status).toBe(404)
  expect((await platform.get(url)).body).toEqual([])
})

const mapped = (lists: object) => ({ status: { ...status, statusMap: { ...status.statusMap, ...lists } } })

test.each([
  ['no steps', { steps: [] }],
  ['a step of another type', { steps: [{ ...step, type: 'Reboot' }] }],
  ['two steps of one name', { steps: [step, step] }],
  ['a step without value', { steps: [{ name: 'a', type: 'SetProperty' }] }],
  ['a step that removes', { steps: [{ ...step, value: null }] }],
  ['a name that the platform keeps for itself', { steps: [{ ...step, name: '$version' }] }],
  ['a placeholder in a key', { steps: [{ ...step, value: { '{{fileUrl}}': 1 } }] }],
  ['a placeholder that nothing closes', { steps: [{ ...step, value: 'x {{fileUrl' }] }],
  ['a value with NUL', { steps: [{ ...step, value: '\u0000' }] }],
  ['a value that is too large', { steps: [{ ...step, value: 'x'.repeat(70_000) }] }],
  ['a status in two lists', mapped({ failureStatuses: [{ value: 'Succeeded' }] })],
  [
    'an object in two lists',
    mapped({ failureStatuses: [{ value: { a: 1 } }], cancelStatuses: [{ value: { a: 1 } }] }),
  ],
  ['statuses that are too large', mapped({ failureStatuses: [{ value: 'x'.repeat(20_000) }] })],
  ['no status of success', mapped({ successStatuses: [] })],
  ['a list that is missing', mapped({ cancelStatuses: undefined })],
  ['another type of status', { status: { ...status, statusType: 'Telemetry' } }],
])('%s is refused', async (_what, fields) => {
  expect((await create(fields)).body.error).toBe('validation_error')
})

test('creating requires firmware_management in the organization; another tenant cannot find the template', async () => {
  const { token } = await makeUser(platform)
  expect((await create({}, { token })).status).toBe(403)
  const { templateId } = (await create()).body
  const foreign = await platform.makeTenant('untemplated')
  expect((await platform.get(`${url}/${templateId}`, { token: foreign.token })).status).toBe(404)
  expect((await platform.delete(`${url}/${templateId}`, { token: foreign.token })).status).toBe(404)
  expect((await platform.get(url, { token: foreign.token })).body).toEqual([])
})
