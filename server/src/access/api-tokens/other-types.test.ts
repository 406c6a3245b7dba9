import { afterAll, expect, test } from 'vitest'
import { startPlatform } from '../../../test/harness/platform.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

test('a token that is limited to other privileges views neither nodes nor resources, which one for a dashboard does', async () => {
  const privileges = ['dashboard_management']
  const { token } = (await platform.post('/v1/api-tokens', { displayName: 'ci', privileges })).body
  const { organizationId } = platform
  const node = (await platform.post('/v1/tree/nodes', { displayName: 'N', organizationId })).body
  const resource = (await platform.post('/v1/resources', { displayName: 'R', document: {} })).body
  for (const path of [
    '/v1/tree/nodes',
    `/v1/tree/nodes/${node.id}`,
    '/v1/resources',
    `/v1/resources/${resource.id}`,
  ]) {
    expect([path, (await platform.get(path)).status]).toEqual([path, 200])
    expect([path, (await platform.get(path, { token })).status]).toEqual([path, 403])
  }
})
