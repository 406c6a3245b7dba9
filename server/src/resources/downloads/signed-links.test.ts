import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import { fileForm, upload } from '../../../test/harness/uploads.ts'
import { signedFileUrl } from './signed-links.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_RATE_LIMIT_STANDARD: '100' })
})
afterAll(() => platform[Symbol.asyncDispose]())

const link = (resourceId: string, lifetimeSeconds = 60) =>
  signedFileUrl(platform.ctx, { tenantId: 'default', resourceId, lifetimeSeconds })

test('a signed link works without signing in, supports Range and HEAD, and is not rate limited', async () => {
  const { id } = (await upload(platform, { content: '0123456789', name: 'fw.bin', type: 'a/b' })).body
  const url = await link(id)
  expect(url).toMatch(new RegExp(`^${platform.url}/v1/files/[A-Za-z0-9_-]+$`))
  const whole = await fetch(url)
  expect([whole.status, await whole.text(), whole.headers.get('content-type')]).toEqual([
    200,
    '0123456789',
    'a/b',
  ])
  const remaining = whole.headers.get('x-ratelimit-remaining')
  expect(Number(remaining)).toBeGreaterThan(0)
  const part = await fetch(url, { headers: { range: 'bytes=8-' } })
  expect([part.status, await part.text()]).toEqual([206, '89'])
  const head = await fetch(url, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
  expect((await fetch(url.replace('/v1/', '/'))).status).toBe(200)
  expect(head.headers.get('x-ratelimit-remaining')).toBe(remaining)
  for (let times = 0; times < 110; times++) expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
})

test('a link becomes invalid when it expires, when the file changes, and when the resource is deleted', async () => {
  const { id } = (await upload(platform)).body
  expect((await fetch(await link(id, -1))).status).toBe(404)
  const url = await link(id)
  await platform.put(`/v1/resources/upload/${id}`, fileForm({ content: 'other' }))
  const answer = await fetch(url)
  expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([404, 'not_found'])
  const newer = await link(id)
  expect(await (await fetch(newer)).text()).toBe('other')
  await platform.delete(`/v1/resources/${id}`)
  expect((await fetch(newer)).status).toBe(404)
  await expect(link(id)).rejects.toMatchObject({ code: 'not_found' })
})

test('a forged link, or a token sealed for another purpose, is not found', async () => {
  const { id } = (await upload(platform)).body
  const url = await link(id)
  const changed = url.slice(0, -2) + (url.endsWith('AA') ? 'BB' : 'AA')
  const content = JSON.stringify({ tenantId: 'default', resourceId: id, sha256: 'x', expiresAtMs: 1e15 })
  const other = platform.ctx.sealer.seal(content, 'another place').toString('base64url')
  for (const wrong of [changed, `${platform.url}/v1/files/${other}`, `${platform.url}/v1/files/x`])
    expect((await fetch(wrong)).status).toBe(404)
})

test('another tenant cannot create a link to it', async () => {
  const { id } = (await upload(platform)).body
  const foreign = { tenantId: 'other', resourceId: id, lifetimeSeconds: 60 }
  await expect(signedFileUrl(platform.ctx, foreign)).rejects.toMatchObject({ code: 'not_found' })
})
