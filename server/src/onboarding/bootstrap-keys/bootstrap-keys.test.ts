import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { keyPlace } from './store.ts'

const platform = await startPlatform()
afterAll(() => platform[Symbol.asyncDispose]())

async function emptyGroup() {
  const { targetId } = await makeGroup(platform)
  const { body } = await platform.post('/api/enrollment-groups', {
    name: 'empty',
    routing_target_id: targetId,
    response_template: {},
  })
  return {
    keys: async () => (await platform.get(`/api/enrollment-groups/${body.id}/keys`)).body,
    generate: () => platform.post(`/api/enrollment-groups/${body.id}/keys/generate`),
    flip: () => platform.post(`/api/enrollment-groups/${body.id}/keys/flip`),
    id: body.id as string,
  }
}

test('[docs/onboarding#key-slots] generate fills primary, then secondary; flip promotes the secondary', async () => {
  const { keys, generate, flip } = await emptyGroup()
  expect(await keys()).toMatchObject({ primary_key: null, secondary_key: null })
  const first = await generate()
  expect(first.status).toBe(201)
  expect(first.headers.get('cache-control')).toBe('no-store')
  expect(first.body).toEqual({ primary_key: expect.any(String), secondary_key: null })
  expect(Buffer.from(first.body.primary_key, 'base64')).toHaveLength(32)
  const second = await generate()
  expect(second.body).toEqual({ ...first.body, secondary_key: expect.any(String) })
  expect(second.body.secondary_key).not.toBe(first.body.primary_key)

  const flipped = await flip()
  expect(flipped.status).toBe(200)
  expect(flipped.body).toEqual({ primary_key: second.body.secondary_key, secondary_key: null })
  expect(await keys()).toMatchObject(flipped.body)
})

test('[docs/onboarding#key-slots] generate with both slots filled and flip without a secondary key are refused', async () => {
  const { keys, generate, flip } = await emptyGroup()
  expect(await flip()).toMatchObject({ status: 409, body: { error: 'secondary_key_empty' } })
  await generate()
  expect(await flip()).toMatchObject({ status: 409, body: { error: 'secondary_key_empty' } })
  await generate()
  const full = await keys()
  expect(await generate()).toMatchObject({ status: 409, body: { error: 'key_slots_full' } })
  expect(await keys()).toEqual(full)
})

test('keys are sealed for their slot and are not in the audit log', async () => {
  const { id, generate, flip, keys } = await emptyGroup()
  await generate()
  await generate()
  await flip()
  const { primary_key } = await keys()
  const row = await platform.ctx.db
    .selectFrom('enrollment_groups')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(platform.ctx.sealer.open(row.primary_key_sealed!, keyPlace('primary', id))).toBe(primary_key)
  expect(() => platform.ctx.sealer.open(row.primary_key_sealed!, keyPlace('secondary', id))).toThrow()
  const { body: entries } = await platform.get(`/v1/audit-log?resourceId=${id}`)
  expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
    'flip-keys',
    'generate-keys',
    'generate-keys',
    'create',
  ])
  expect(JSON.stringify(entries)).not.toContain(primary_key)
})

test('[docs/onboarding#key-slots] concurrent generate and flip calls neither lose nor duplicate a key', async () => {
  const { generate, flip, keys } = await emptyGroup()
  await generate()
  for (let round = 0; round < rounds(100, 20); round++) {
    const before = await keys()
    const answers = await Promise.all([generate(), flip(), flip(), generate()])
    const after = await keys()
    // In any order of the four calls, each answer is a state whose primary key was a key of the previous state.
    const states = [
      before,
      ...answers.filter((answer) => answer.status < 300).map((answer) => answer.body),
      after,
    ]
    for (const state of states) expect(state.primary_key).not.toBe(state.secondary_key)
    const everSeen = new Set(
      states.flatMap((state) => [state.primary_key, state.secondary_key]).filter(Boolean),
    )
    expect(everSeen).toContain(after.primary_key)
    if (after.secondary_key) expect(everSeen).toContain(after.secondary_key)
    const flips = answers.slice(1, 3).filter((answer) => answer.status === 200)
    if (flips.length === 0) expect(after.primary_key).toBe(before.primary_key)
    else expect(flips.map((answer) => answer.body.primary_key)).toContain(after.primary_key)
    if (!after.secondary_key) continue
    await flip()
  }
})
