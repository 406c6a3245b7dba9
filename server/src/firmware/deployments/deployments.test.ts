import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, insertBinding, makeModel } from '../../../test/harness/assets.ts'
import {
  advance,
  deploy,
  deployed,
  getDeployment,
  getDesired,
  insertClients,
  makeRelease,
  makeTemplate,
  report,
  setConnected,
  step,
  getUpdate,
} from '../../../test/harness/firmware.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../../test/harness/users.ts'

let platform: Platform
let releaseId: string
let deploymentTemplateId: string
beforeAll(async () => {
  platform = await startPlatform()
  releaseId = await makeRelease(platform)
  deploymentTemplateId = await makeTemplate(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

const url = '/v1/firmware/deployments'
const create = (fields: object, options = {}) =>
  deploy(platform, { releaseId, deploymentTemplateId, ...fields }, options)
const zero = { Ready: 0, Running: 0, Succeeded: 0, Failed: 0, Rejected: 0, Cancelled: 0 }

test('a deployment sets the desired property, and ends when its devices report a final status', async () => {
  const deviceIds = await insertClients(platform, 3)
  const { status, body } = await create({ deviceIds })
  expect(status).toBe(201)
  expect(body).toMatchObject({ status: 'Ready', releaseName: '1.0', total: 3, counts: { ...zero, Ready: 3 } })
  await advance(platform, body.id)
  expect(await getDeployment(platform, body.id)).toMatchObject({
    status: 'Running',
    wave: 1,
    counts: { Running: 3 },
  })
  const { firmware } = await getDesired(platform, deviceIds[0]!)
  expect(firmware).toEqual({
    url: expect.any(String),
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    release: '1.0',
  })
  expect(await (await fetch(firmware.url)).text()).toBe('1.0')
  await report(platform, deviceIds[0]!, { status: 'Downloading', percent: 5 }, { status: 'Succeeded' })
  await report(platform, deviceIds[1]!, 'Failed')
  await report(platform, deviceIds[2]!, 'Rejected')
  await advance(platform, body.id)
  const after = await getDeployment(platform, body.id)
  expect(after).toMatchObject({
    status: 'Completed',
    endedAt: expect.any(String),
    counts: { ...zero, Succeeded: 1, Failed: 1, Rejected: 1 },
    waves: [{ wave: 1, percent: 100, Succeeded: 1, Failed: 1, Rejected: 1 }],
    rollbacks: zero,
  })
  expect(await getUpdate(platform, deviceIds[0]!)).toMatchObject({
    deploymentId: body.id,
    status: 'Succeeded',
    statusValue: { status: 'Succeeded' },
    currentStep: 1,
    logs: [{ level: 'Info', step: 1 }, { level: 'Info' }, { level: 'Info' }],
  })
  const listed = (await platform.get(`${url}/${body.id}/updates`)).body
  expect(listed.map((each: { providerClientId: string }) => each.providerClientId).toSorted()).toEqual(
    deviceIds.toSorted(),
  )
  expect((await platform.get(url)).body.map(({ id }: { id: string }) => id)).toContain(body.id)
  expect((await platform.delete(`${url}/${body.id}`)).status).toBe(204)
  expect((await platform.get(`${url}/${body.id}`)).status).toBe(404)
})

test('several steps run one after the other, and property values keep their type', async () => {
  const release = await makeRelease(platform, { propertyValues: [{ key: 'slot', value: 2 }] })
  const template = await makeTemplate(platform, {
    steps: [
      { ...step, name: 'prepare', value: { slot: '{{slot}}', file: 'in {{slot}}: {{fileName}}' } },
      { ...step, name: 'install', value: '{{releaseName}}' },
    ],
  })
  const [id = ''] = await insertClients(platform, 1)
  const deployment = await deployed(platform, {
    releaseId: release,
    deploymentTemplateId: template,
    deviceIds: [id],
  })
  expect(await getDesired(platform, id)).toEqual({
    prepare: { slot: 2, file: 'in 2: pump.bin' },
    $version: 1,
  })
  await report(platform, id, 'Succeeded')
  expect(await getUpdate(platform, id)).toMatchObject({ status: 'Running', currentStep: 1 })
  await advance(platform, deployment)
  expect(await getDesired(platform, id)).toMatchObject({ install: '1.0', $version: 2 })
  expect(await getUpdate(platform, id)).toMatchObject({ status: 'Running', currentStep: 2 })
  await report(platform, id, 'Installing', 'Succeeded')
  expect(await getUpdate(platform, id)).toMatchObject({ status: 'Succeeded', currentStep: 2 })
})

test('a client whose asset has no starting model is rejected with the reason', async () => {
  const [right = '', wrong = '', unbound = ''] = await insertClients(platform, 3)
  for (const [client, modelId] of [
    [right, 'dtmi:fw:right;1'],
    [wrong, 'dtmi:fw:wrong;1'],
  ] as const) {
    await makeModel(platform, modelId, [])
    await insertAsset(platform, `asset-${client}`, { modelId })
    await insertBinding(platform, `asset-${client}/-/telemetry/t`, [`${client}/-/telemetry/t`])
  }
  const release = await makeRelease(platform, { startingModels: [{ id: 'dtmi:fw:right;1' }] })
  const id = await deployed(platform, {
    releaseId: release,
    deploymentTemplateId,
    deviceIds: [right, wrong, unbound],
  })
  expect(await getDeployment(platform, id)).toMatchObject({ total: 3, counts: { Running: 1, Rejected: 2 } })
  expect(await getUpdate(platform, wrong)).toMatchObject({
    status: 'Rejected',
    wave: 0,
    logs: [{ level: 'Error', message: expect.stringContaining('dtmi:fw:right;1') }],
  })
  expect(await getDesired(platform, wrong)).toEqual({ $version: 0 })
})

test('the error for unknown clients names at most twenty', async () => {
  const deviceIds = Array.from({ length: 30 }, (_, index) => `nobody-${`${index}`.padStart(2, '0')}`)
  const { body } = await create({ deviceIds: [...(await insertClients(platform, 1)), ...deviceIds] })
  expect(body.error).toBe('validation_error')
  expect(body.message).toContain('nobody-19 and others')
  expect(body.message).not.toContain('nobody-20')
})

test.each([
  ['no clients', { deviceIds: [] }],
  ['a client twice', { deviceIds: ['some', 'some'] }],
  ['a client of no possible name', { deviceIds: ['a/b'] }],
  ['text for clients', { deviceIds: 'some' }],
  ['waves that fall', { rollout: { waves: [50, 20, 100] } }],
  ['waves that end early', { rollout: { waves: [5, 50] } }],
  ['no waves', { rollout: { waves: [] } }],
  ['a wave of zero', { rollout: { waves: [0, 100] } }],
  ['a threshold over all', { rollout: { failureThresholdPercent: 101 } }],
  ['a time limit of zero', { timeoutSeconds: 0 }],
])('%s is refused', async (_what, fields) => {
  const { body } = await create({ deviceIds: ['some'], ...fields })
  expect(body.error).toBe('validation_error')
})

test('values that make a step longer than a desired state may be are refused', async () => {
  const value = `{{notes}}${'{{notes}}'.repeat(6000)}`
  const template = await makeTemplate(platform, { steps: [{ ...step, value }] })
  const release = await makeRelease(platform, {
    propertyValues: [{ key: 'notes', value: 'x'.repeat(60_000) }],
  })
  const deviceIds = await insertClients(platform, 1)
  const { body } = await create({ deviceIds, deploymentTemplateId: template, releaseId: release })
  expect(body).toMatchObject({
    error: 'validation_error',
    message: expect.stringContaining('360060000 characters'),
  })
})

test('a placeholder without a value in the release is refused', async () => {
  const template = await makeTemplate(platform, { steps: [{ ...step, value: ['{{slot}} {{fileUrl}}'] }] })
  const deviceIds = await insertClients(platform, 1)
  const missing = await create({ deviceIds, deploymentTemplateId: template })
  expect(missing.body).toMatchObject({
    error: 'validation_error',
    message: expect.stringContaining('{{slot}}'),
  })
  const release = await makeRelease(platform, {
    fileResourceId: null,
    propertyValues: [{ key: 'slot', value: 1 }],
  })
  const withoutFile = await create({ deviceIds, deploymentTemplateId: template, releaseId: release })
  expect(withoutFile.body.message).toContain('{{fileUrl}}')
})

test('a release whose file was deleted cannot be deployed; if the file is deleted later, the updates fail', async () => {
  const release = await makeRelease(platform, { displayName: 'lost' })
  const { fileResourceId } = (await platform.get(`/v1/firmware/releases/${release}`)).body
  const [id = ''] = await insertClients(platform, 1)
  const deployment = (await create({ releaseId: release, deviceIds: [id] })).body.id
  expect((await platform.delete(`/v1/resources/${fileResourceId}`)).status).toBe(204)
  const at = `/v1/firmware/releases/${release}`
  const listed = (await platform.get('/v1/firmware/releases')).body as { id: string; fileMissing: boolean }[]
  for (const shown of [(await platform.get(at)).body, listed.find((each) => each.id === release)])
    expect(shown).toMatchObject({ fileResourceId, fileMissing: true })
  await advance(platform, deployment)
  expect(await getUpdate(platform, id)).toMatchObject({
    status: 'Failed',
    logs: [{ level: 'Error', message: expect.stringContaining('deleted') }],
  })
  const again = await create({ releaseId: release, deviceIds: [id] })
  expect(again).toMatchObject({ status: 409, body: { message: expect.stringContaining(fileResourceId) } })
})

test('deploying requires only firmware_management in the organization of each client', async () => {
  const branch = await makeOrganization(platform)
  const { id, token } = await makeUser(platform)
  const [mine = ''] = await insertClients(platform, 1, branch)
  const [other = ''] = await insertClients(platform, 1)
  const request = (deviceIds: string[]) => create({ deviceIds, organizationId: branch }, { token })
  await relate(platform, `${id} firmware_manager organization:${branch}`)
  expect((await request([mine])).body.details.required).toMatchObject({ resourceType: 'firmware' })
  await relate(platform, `${id} viewer firmware:${releaseId}`)
  await relate(platform, `${id} viewer firmware:${deploymentTemplateId}`)
  await relate(platform, `${id} manager provider_client:${other}`)
  expect((await request([mine, other])).body.details).toEqual({
    required: {
      privilege: 'firmware_management',
      resourceType: 'provider_client',
      resourceIds: [other],
    },
  })
  const { status, body } = await request([mine])
  expect(status).toBe(201)
  const limited = { displayName: 'CI', privileges: ['firmware_management'] }
  const apiToken = (await platform.post('/v1/api-tokens', limited, { token })).body.token
  const byToken = await create({ deviceIds: [mine], organizationId: branch }, { token: apiToken })
  expect(byToken.status).toBe(201)
  expect((await platform.post(`${url}/${body.id}/pause`, undefined, { token })).status).toBe(200)
  expect((await platform.get(url, { token })).body).toHaveLength(2)
})

test('a viewer cannot pause, resume, cancel or delete a deployment', async () => {
  const { body } = await create({ deviceIds: await insertClients(platform, 1) })
  const { id, token } = await makeUser(platform)
  await relate(platform, `${id} viewer firmware:${body.id}`)
  expect((await platform.get(`${url}/${body.id}`, { token })).status).toBe(200)
  for (const event of ['pause', 'resume', 'cancel'])
    expect((await platform.post(`${url}/${body.id}/${event}`, undefined, { token })).body.details).toEqual({
      required: { permission: 'manage', resourceType: 'firmware', resourceId: body.id },
    })
  expect((await platform.delete(`${url}/${body.id}`, { token })).status).toBe(403)
})

test('another tenant can neither see nor change a deployment, nor deploy the release', async () => {
  const { body } = await create({ deviceIds: await insertClients(platform, 1) })
  const { token, organizationId } = await platform.makeTenant('undeployed')
  for (const answer of [
    await platform.get(`${url}/${body.id}`, { token }),
    await platform.get(`${url}/${body.id}/updates`, { token }),
    await platform.post(`${url}/${body.id}/cancel`, undefined, { token }),
    await platform.delete(`${url}/${body.id}`, { token }),
    await create({ deviceIds: ['some'], organizationId }, { token }),
  ])
    expect(answer.status).toBe(404)
  expect((await platform.get(url, { token })).body).toEqual([])
})

test('pausing prevents further updates, resuming continues, and repeating either changes nothing', async () => {
  const deviceIds = await insertClients(platform, 2)
  const { id } = (await create({ deviceIds })).body
  const action = async (name: string) => (await platform.post(`${url}/${id}/${name}`)).body
  expect((await action('resume')).error).toBe('conflict')
  expect((await action('pause')).status).toBe('Paused')
  expect((await action('pause')).status).toBe('Paused')
  await advance(platform, id)
  expect((await getDeployment(platform, id)).counts).toMatchObject({ Ready: 2 })
  expect((await action('resume')).status).toBe('Running')
  await advance(platform, id)
  // A deployment that was paused before its first wave starts with it.
  expect((await getDeployment(platform, id)).counts).toMatchObject({ Running: 2 })
  expect((await platform.delete(`${url}/${id}`)).status).toBe(409)
})

test('cancelling restores the desired properties; concurrent calls have the effect of one', async () => {
  const [running = '', waiting = ''] = await insertClients(platform, 2)
  await platform.put(`/v1/providers/mqtt/clients/${running}/properties/desired`, {
    firmware: { url: 'old', a: 1 },
  })
  const first = await deployed(platform, { releaseId, deploymentTemplateId, deviceIds: [running] })
  const second = (await create({ deviceIds: [running, waiting] })).body.id
  const twice = await Promise.all([first, first].map((id) => platform.post(`${url}/${id}/cancel`)))
  expect(twice.map(({ status }) => status)).toEqual([202, 202])
  await advance(platform, first)
  expect(await getDeployment(platform, first)).toMatchObject({
    status: 'Cancelled',
    endedAt: expect.any(String),
    counts: { Cancelled: 1 },
  })
  expect(await getDesired(platform, running)).toMatchObject({ firmware: { url: 'old', a: 1 } })
  expect((await platform.post(`${url}/${second}/cancel`)).status).toBe(202)
  await advance(platform, second)
  expect(await getDeployment(platform, second)).toMatchObject({ counts: { Cancelled: 2 } })
  expect((await platform.post(`${url}/${second}/resume`)).status).toBe(409)
})

test('two deployments to one client run in their order', async () => {
  const [id = ''] = await insertClients(platform, 1)
  const first = await deployed(platform, { releaseId, deploymentTemplateId, deviceIds: [id] })
  const second = await deployed(platform, { releaseId, deploymentTemplateId, deviceIds: [id] })
  await advance(platform, second)
  expect(await getDeployment(platform, second)).toMatchObject({ status: 'Running', counts: { Ready: 1 } })
  expect(await getUpdate(platform, id)).toMatchObject({ deploymentId: first, status: 'Running' })
  await report(platform, id, 'Succeeded')
  await advance(platform, second)
  expect(await getUpdate(platform, id)).toMatchObject({ deploymentId: second, status: 'Running' })
})

test('the timeout counts only while the device is connected', async () => {
  const [id = ''] = await insertClients(platform, 1)
  const deployment = await deployed(platform, {
    releaseId,
    deploymentTemplateId,
    deviceIds: [id],
    timeoutSeconds: 60,
  })
  const anHourAgo = new Date(Date.now() - 3_600_000)
  await platform.ctx.db
    .updateTable('firmware_updates')
    .set({ step_set_at: anHourAgo })
    .where('deployment_id', '=', deployment)
    .execute()
  await advance(platform, deployment)
  expect((await getUpdate(platform, id)).status).toBe('Running')
  await setConnected(platform, [id], true)
  await advance(platform, deployment)
  expect((await getUpdate(platform, id)).status).toBe('Running')
  await platform.ctx.db.updateTable('client_connections').set({ connected_at: anHourAgo }).execute()
  await advance(platform, deployment)
  expect(await getUpdate(platform, id)).toMatchObject({ status: 'Failed' })
  expect((await getDesired(platform, id)).firmware).toBeUndefined()
})
