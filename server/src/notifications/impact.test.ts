import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAlarm } from '../../test/harness/alarms.ts'
import { insertAsset, makePumpModel } from '../../test/harness/assets.ts'
import { makeContactGroup, makeNotification } from '../../test/harness/notifications.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { makeOrganization, makeUser, relate } from '../../test/harness/users.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

/** The notifications that deleting the relation would lose. @param text as for `relate` */
async function lostBy(text: string) {
  const [subject = '', relation, resource = ''] = text.split(' ')
  const [subjectType, subjectId] = subject.includes(':') ? subject.split(':') : ['user', subject]
  const [resourceType, resourceId] = resource.split(':')
  const tuple = { subjectType, subjectId, resourceType, resourceId, relation }
  const { status, body } = await platform.post('/v1/relations/impact', tuple)
  expect(status).toBe(200)
  return body.notifications
}

test('the impact of deleting a relation names users who would be notified of fewer alarms [docs/access#impact]', async () => {
  const branch = await makeOrganization(platform)
  const [ann, bob] = [(await makeUser(platform)).id, (await makeUser(platform)).id]
  const group = (await platform.post('/v1/groups', { displayName: 'G' })).body.id
  await insertAsset(platform, 'pump-a', { organization: branch })
  await insertAsset(platform, 'pump-b')
  const alarmId = await insertAlarm(platform, { organization: branch })
  const contactGroupId = await makeContactGroup(platform, { users: [ann], userGroups: [group] })
  const at = { organizationId: branch, subscribers: { contactGroups: [{ contactGroupId }] } }
  const id = await makeNotification(platform, alarmId, at)
  const [annInBranch, bobInGroup] = [`${ann} member organization:${branch}`, `${bob} member group:${group}`]
  const groupInBranch = `group:${group} member organization:${branch}`
  for (const relation of [annInBranch, bobInGroup, groupInBranch, `${ann} viewer asset:pump-b`])
    await relate(platform, relation)

  expect(await lostBy(annInBranch)).toEqual([{ userId: ann, notificationIds: [id] }])
  expect(await lostBy(bobInGroup)).toEqual([{ userId: bob, notificationIds: [id] }])
  expect(await lostBy(groupInBranch)).toEqual([{ userId: bob, notificationIds: [id] }])
  // One asset fewer is a loss too; another way to the same asset prevents the loss.
  expect(await lostBy(`${ann} viewer asset:pump-b`)).toEqual([{ userId: ann, notificationIds: [id] }])
  await relate(platform, `${ann} manager asset:pump-b`)
  expect(await lostBy(`${ann} viewer asset:pump-b`)).toEqual([])
})

test('a broadcast is lost with the membership in its organization', async () => {
  const branch = await makeOrganization(platform)
  await insertAsset(platform, 'pump-c', { organization: branch })
  const alarmId = await insertAlarm(platform, { organization: branch })
  const id = await makeNotification(platform, alarmId, { organizationId: branch, broadcast: true })
  const { id: user } = await makeUser(platform)
  await relate(platform, `${user} viewer organization:${branch}`)
  await relate(platform, `${user} member organization:${branch}`)
  expect(await lostBy(`${user} member organization:${branch}`)).toEqual([
    { userId: user, notificationIds: [id] },
  ])
  expect(await lostBy(`${user} viewer organization:${branch}`)).toEqual([])
})

test('a relation without users has no impact', async () => {
  expect(await lostBy(`nobody viewer organization:${platform.organizationId}`)).toEqual([])
})
