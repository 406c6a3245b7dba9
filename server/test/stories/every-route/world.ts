/** Creates one object of every kind in the tenant `default`, for the test of all routes. */
import { newId } from '../../../src/lib/ids.ts'
import { insertAlarm } from '../../harness/alarms.ts'
import { bring, makeAlarm } from '../../harness/alarm-walk.ts'
import { insertAsset, makeModel } from '../../harness/assets.ts'
import { enrol } from '../../harness/certificate-device.ts'
import { makeGroup } from '../../harness/enrollment-group.ts'
import {
  deployed,
  insertClients,
  makeRelease,
  makeTemplate,
  report,
  getUpdate,
} from '../../harness/firmware.ts'
import { makeContactGroup, makeNotification } from '../../harness/notifications.ts'
import { adminPassword, type Platform } from '../../harness/platform.ts'
import { makeOrganization, makeUser, relate, type TestUser } from '../../harness/users.ts'

/** Part of the names of all objects. */
export const OF_THE_WORLD = 'One of all'

export interface World {
  /** Ids by the type of object. None of them may be visible to other tenants or to users without rights. */
  ids: Record<string, string>
  /** An administrator of another tenant. */
  otherTenant: { token: string }
  /** A user of the tenant without rights. */
  withoutRights: TestUser
  /** A user who may only view the objects of the organization. */
  viewer: TestUser
}

export async function makeEverything(platform: Platform): Promise<World> {
  const organization = platform.organizationId
  const make = async (path: string, body?: object, key = 'id'): Promise<string> => {
    const answer = await platform.post(path, body)
    if (answer.status > 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body[key]
  }
  const here = { displayName: OF_THE_WORLD, organizationId: organization }
  const group = await makeGroup(platform)
  const { targetId: spareTarget, groupId: spareGroup } = await makeGroup(platform)
  const provider = await make('/v1/providers', { ...here, id: 'some-provider', type: 'mqtt' })
  const client = await make('/v1/providers/mqtt/clients', { ...here, id: 'some-client' })
  const user = await makeUser(platform)
  const dashboard = await make('/v1/dashboards', here)
  await platform.put(`/v1/dashboards/${dashboard}/draft`, { version: 1, data: {} })
  const deletedDashboard = await make('/v1/dashboards', here)
  await platform.delete(`/v1/dashboards/${deletedDashboard}`)
  const node = await make('/v1/tree/nodes', here)
  const other = await make('/v1/tree/nodes', here)
  await make('/v1/tree/edges', {
    fromType: 'node',
    fromId: node,
    toType: 'dashboard',
    toId: dashboard,
    relation: 'CONTAINS',
  })
  const model = await make('/v1/models', {
    organizationId: organization,
    definition: modelDefinition('dtmi:walk:pump;1'),
  })
  const boundModel = await make('/v1/models', {
    organizationId: organization,
    definition: modelDefinition('dtmi:walk:bound;1'),
  })
  await insertAsset(platform, 'bound-asset', { modelId: boundModel })
  const ids = {
    organization,
    provider,
    client,
    dashboard,
    deletedDashboard,
    node,
    other,
    target: group.targetId,
    group: group.groupId,
    spareTarget,
    spareGroup,
    device: 'some-device',
    tank: 'some-tank',
    user: user.id,
    branch: await makeOrganization(platform),
    organizationTemplate: await make('/v1/organization-templates', { displayName: 'T' }),
    providerTemplate: await make('/v1/provider-templates', { ...here, id: 'some-template' }),
    model,
    // Objects that the test creates keep using it.
    spareModel: await make('/v1/models', {
      organizationId: organization,
      definition: modelDefinition('dtmi:walk:spare;1'),
    }),
    asset: await make('/v1/assets', { ...here, id: 'some-asset', modelId: model }),
    methodTemplate: await make('/v1/method-templates', { ...here, method: 'reboot' }),
    boundModel,
    boundAsset: 'bound-asset',
    bindingDescription: await make('/v1/binding-descriptions', {
      ...here,
      id: 'some-description',
      modelId: boundModel,
      bindings: [],
    }),
    ...(await makeOpenAlarm(platform)),
    resource: await make('/v1/resources', { ...here, document: {} }),
    users: await make('/v1/groups', { displayName: 'Users' }),
    authority: await make('/v1/certificate-authorities/rotate'),
    token: await make('/v1/api-tokens', { displayName: 'Mine' }),
    dashboardToken: await make(`/v1/dashboards/${dashboard}/api-tokens`, {
      displayName: OF_THE_WORLD,
      expiresAt: '2100-01-01T00:00:00Z',
    }),
    webhook: await make('/v1/providers/mqtt/webhooks', { url: 'https://example.com/', secret: 'x' }),
    deadLetter: await insertDeadLetter(platform),
    ...(await makeNotifications(platform)),
    simulation: await make('/v1/simulations', {
      ...here,
      providerId: 'mqtt',
      count: 1,
      signals: [{ name: 'level', generator: 'constant', value: 1 }],
      intervalSeconds: 60,
    }),
  }
  await make('/v1/tree/edges', {
    fromType: 'node',
    fromId: node,
    toType: 'asset',
    toId: ids.asset,
    relation: 'CONTAINS',
  })
  Object.assign(ids, await makeFirmware(platform, client))
  Object.assign(ids, { webhookDelivery: await makeWebhookDelivery(platform, ids.webhook) })
  const { row: certificate } = await enrol(platform.ctx, { groupId: group.groupId, deviceId: client })
  Object.assign(ids, { certificate: certificate.id, authority: certificate.authority_id })
  await group.add(ids.device)
  await makeModel(platform, 'dtmi:walk:tank;1', [{ '@type': 'Command', name: 'drain' }])
  await insertAsset(platform, ids.tank, { modelId: 'dtmi:walk:tank;1' })
  await relate(platform, `${ids.user} viewer dashboard:${dashboard}`)
  const viewer = await makeUser(platform)
  await relate(platform, `${viewer.id} viewer organization:${organization}`)
  return {
    ids,
    otherTenant: await platform.makeTenant('other-tenant'),
    withoutRights: await makeUser(platform),
    viewer,
  }
}

/** A notification for an alarm; the alarm and its asset are inserted directly. */
async function makeNotifications(platform: Platform) {
  await makeModel(platform, 'dtmi:walk:told;1', [])
  await insertAsset(platform, 'fired-asset', { modelId: 'dtmi:walk:told;1' })
  const firedAlarm = await insertAlarm(platform, { entityTypeId: 'dtmi:walk:told;1' })
  const contactGroup = await makeContactGroup(platform, {})
  const subscribers = { contactGroups: [{ contactGroupId: contactGroup }] }
  const notification = await makeNotification(platform, firedAlarm, { subscribers })
  return { firedAlarm, firedAsset: 'fired-asset', contactGroup, notification }
}

/** A deployment with one running update and one that has ended. */
async function makeFirmware(platform: Platform, client: string) {
  const firmwareRelease = await makeRelease(platform)
  const deploymentTemplate = await makeTemplate(platform)
  const fields = { releaseId: firmwareRelease, deploymentTemplateId: deploymentTemplate }
  const [other = ''] = await insertClients(platform, 1)
  await deployed(platform, { ...fields, deviceIds: [other] })
  await report(platform, other, 'Succeeded')
  const deployment = await deployed(platform, { ...fields, deviceIds: [client] })
  const firmwareUpdate = (await getUpdate(platform, other)).id as string
  return { firmwareRelease, deploymentTemplate, deployment, firmwareUpdate }
}

/** An alarm that is active on an asset. */
async function makeOpenAlarm(platform: Platform) {
  const [modelId, watchedAsset] = ['dtmi:walk:watched;1', 'watched-asset']
  await makeModel(platform, modelId, [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }])
  await insertAsset(platform, watchedAsset, { modelId })
  const alarm = await makeAlarm(platform, { entityTypeId: modelId })
  const [change] = await bring(platform.ctx, [{ assetId: watchedAsset, value: 90 }])
  return { alarm, watchedAsset, alarmStatus: change!.status.alarmStatusId }
}

/** Inserts a dead letter, as if the client had sent an unreadable message. */
async function insertDeadLetter({ ctx }: Platform): Promise<string> {
  const { number } = await ctx.db
    .selectFrom('provider_clients')
    .select('number')
    .where('tenant_id', '=', 'default')
    .where('id', '=', 'some-client')
    .executeTakeFirstOrThrow()
  const row = { topic: 't', payload: Buffer.from('x'), reason: 'invalid_json', message: 'm' }
  const id = newId()
  await ctx.db
    .insertInto('dead_letters')
    .values({ id, client_number: number, ...row })
    .execute()
  return id
}

export const newUserBody = () => ({
  displayName: 'New',
  email: `${newId()}@example.com`,
  password: adminPassword,
})

export const modelDefinition = (id: string) => ({
  '@context': 'dtmi:dtdl:context;3',
  '@id': id,
  '@type': 'Interface',
  displayName: 'Model',
  contents: [{ '@type': 'Telemetry', name: 'temperature', schema: 'double' }],
})

/** Enqueues an event of the webhook; no job runs here. @returns the id of the delivery */
async function makeWebhookDelivery(platform: Platform, webhookId: string): Promise<string> {
  await platform.post('/v1/providers/mqtt/clients', { id: 'deleted-client', displayName: 'Deleted' })
  await platform.delete('/v1/providers/mqtt/clients/deleted-client')
  const { body } = await platform.get(`/v1/providers/mqtt/webhooks/${webhookId}/deliveries`)
  return body[0].id
}
