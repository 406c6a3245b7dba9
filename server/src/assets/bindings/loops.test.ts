import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { bind, binding, boundIn } from '../../../test/harness/bindings.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'

let platform: Platform
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
})
afterAll(() => platform[Symbol.asyncDispose]())

let made = 0
async function newAssets(count: number) {
  const ids = Array.from({ length: count }, () => `asset-${++made}`)
  for (const id of ids) await insertAsset(platform, id)
  return ids
}
const temperature = (id: string) => `${id}/-/telemetry/temperature`
const pressure = (id: string) => `${id}/-/telemetry/pressure`
const reads = (from: string, to: string) => ({ endpointBindings: [binding(from, to)] })

test('an endpoint must not read from itself through others; the refusal names the loop', async () => {
  const [a, b, c] = (await newAssets(3)) as [string, string, string]
  expect((await bind(platform, a, reads(temperature(a), temperature(b)))).status).toBe(200)
  expect((await bind(platform, b, reads(temperature(b), pressure(c)))).status).toBe(200)
  const way = [temperature(a), temperature(b), pressure(c), temperature(a)]
  const answer = await bind(platform, c, reads(pressure(c), temperature(a)))
  expect(answer.body.error).toBe('validation_error')
  const { path, message } = answer.body.details.issues[0]
  expect(path).toBe('endpointBindings.0')
  const named = message.replace(/.*: /, '').split(' → ')
  expect(named[0]).toBe(named.at(-1))
  expect(named.slice(1).toSorted()).toEqual(way.slice(1).toSorted())
  expect((await platform.get(`/v1/assets/${c}/bindings`)).body.bindings).toEqual([])
  // Another of its endpoints forms no loop.
  expect((await bind(platform, c, reads(temperature(c), temperature(a)))).status).toBe(200)
})

test('autobind creates no loop either', async () => {
  const [a, b] = (await newAssets(2)) as [string, string]
  expect((await bind(platform, a, { autobindRemoteInstanceIds: [b] })).status).toBe(200)
  const answer = await bind(platform, b, { autobindRemoteInstanceIds: [a] })
  expect(answer.body.details.issues[0].path).toBe('autobindRemoteInstanceIds.0')
})

test('a loop that the same request breaks is accepted', async () => {
  const [a, b] = (await newAssets(2)) as [string, string]
  await bind(platform, a, reads(temperature(a), temperature(b)))
  await bind(platform, a, { endpointBindings: [binding(temperature(a), {})] })
  expect((await bind(platform, b, reads(temperature(b), temperature(a)))).status).toBe(200)
})

test('many paths to one endpoint are no loop, and each endpoint is visited once', async () => {
  const ids = await newAssets(12)
  // Each reads the next by two endpoints, which each read both of the one after: 2¹¹ paths.
  for (const [index, id] of ids.slice(0, -1).entries()) {
    const next = ids[index + 1]!
    const both = { x: temperature(next), y: pressure(next) }
    const endpointBindings = [binding(temperature(id), both), binding(pressure(id), both)]
    expect((await bind(platform, id, { endpointBindings })).status).toBe(200)
  }
  const [first, last] = [ids[0]!, ids.at(-1)!]
  expect((await bind(platform, last, reads(temperature(last), pressure(first)))).status).toBe(400)
})

test('concurrent binds of two assets to each other create no loop', async () => {
  const [a, b] = (await newAssets(2)) as [string, string]
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      i % 2 === 0
        ? bind(platform, a, reads(temperature(a), temperature(b)))
        : bind(platform, b, reads(temperature(b), temperature(a))),
    ),
  )
  const bound = { ...boundIn(await bind(platform, a, {})), ...boundIn(await bind(platform, b, {})) }
  expect([{ [temperature(a)]: [temperature(b)] }, { [temperature(b)]: [temperature(a)] }]).toContainEqual(
    bound,
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 20 }, () => 200),
    ...Array.from({ length: 20 }, () => 400),
  ])
})
