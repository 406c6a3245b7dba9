/**
 * Random orders of generate, flip, derive, changes of the policy and settings requests against a plain model of a group's
 * keys: exactly the keys that ought to work do. A failure prints the seed and the shortest list of steps;
 * `fc.assert(…, { seed, path })` repeats it. [docs/onboarding#bootstrap-keys]
 */
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { makeGroup } from '../../../test/harness/enrollment-group.ts'
import { startPlatform } from '../../../test/harness/platform.ts'
import { rounds } from '../../../test/harness/rounds.ts'
import { deriveKey } from './derive-key.ts'
import { KEY_KINDS, type KeyKind, type KeyPolicy } from './match-key.ts'

// Each request comes from a network of its own, so that wrong keys are not limited.
const platform = await startPlatform({ GANGWAY_TRUST_PROXY: '1' })
afterAll(() => platform[Symbol.asyncDispose]())

const DEVICES = 3
const device = fc.nat({ max: DEVICES - 1 })
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('generate') }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('flip'), ifReady: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('derive'), device }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('policy'),
      policy: fc.constantFrom<KeyPolicy[]>('any', 'derived_only'),
      ifReady: fc.boolean(),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constant('request'),
      device,
      /** Counted back from the newest key. */
      age: fc.nat({ max: 3 }),
      kind: fc.constantFrom<KeyKind[]>('bootstrap', 'derived'),
      /** The device that the key is derived for. */
      of: device,
    }),
  },
  // A fleet that moves to the newest key, so that changes with `if_ready` pass as well.
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('all'),
      kind: fc.constantFrom<KeyKind[]>('bootstrap', 'derived'),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

interface Model {
  /** Every key that was ever generated. */
  keys: string[]
  primary: string | null
  secondary: string | null
  policy: KeyPolicy
  lastUses: ({ key: string; kind: KeyKind } | undefined)[]
}

let made = 0
let networks = 0
const nextAddress = () => {
  networks++
  return `10.${(networks >> 16) & 255}.${(networks >> 8) & 255}.${networks & 255}`
}

const isValid = (model: Model, key: string, kind: KeyKind) =>
  (key === model.primary || key === model.secondary) && (kind === 'derived' || model.policy === 'any')

async function makeRun() {
  const { targetId } = await makeGroup(platform)
  const { body: group } = await platform.post('/api/enrollment-groups', {
    name: 'orders',
    routing_target_id: targetId,
    response_template: {},
  })
  const path = `/api/enrollment-groups/${group.id}`
  const run = ++made
  const ids = Array.from({ length: DEVICES }, (_, index) => `order-${run}-${index}`)
  for (const device_id of ids) {
    await platform.post(`${path}/devices`, { device_id })
    await platform.post('/provision_device', { device_id, enrollment_group_id: group.id })
  }
  const model: Model = {
    keys: [],
    primary: null,
    secondary: null,
    policy: 'any',
    lastUses: ids.map(() => undefined),
  }
  return { path, ids, model }
}
type Run = Awaited<ReturnType<typeof makeRun>>

const derive = (key: string, deviceId: string) => deriveKey(Buffer.from(key, 'base64'), deviceId)

const fetchStatus = async (deviceId: string, secret: string) => {
  const authorization = `Basic ${Buffer.from(`${deviceId}:${secret}`).toString('base64')}`
  const headers = { authorization, 'x-forwarded-for': nextAddress() }
  return (await platform.get('/get_settings', { token: null, headers })).status
}

interface Use {
  key: string
  kind: KeyKind
  /** The device that the key is derived for. */
  of?: number
}

async function request({ ids, model }: Run, index: number, { key, kind, of = index }: Use) {
  const secret = kind === 'bootstrap' ? key : derive(key, ids[of]!)
  const works = isValid(model, key, kind) && (kind === 'bootstrap' || of === index)
  const status = await fetchStatus(ids[index]!, secret)
  expect(status).toBe(works ? 200 : 401)
  if (works) model.lastUses[index] = { key, kind }
  return status
}

async function generate({ path, model }: Run) {
  const { status, body } = await platform.post(`${path}/keys/generate`)
  expect(status).toBe(model.secondary ? 409 : 201)
  if (status !== 201) return
  const slot = model.primary ? 'secondary' : 'primary'
  model[slot] = body[`${slot}_key`] as string
  model.keys.push(model[slot])
}

async function flip({ path, model }: Run, ifReady: boolean) {
  const { status, body } = await platform.post(`${path}/keys/flip?if_ready=${ifReady}`)
  const isReady = model.lastUses.every((use) => use?.key === model.secondary)
  if (!model.secondary) expect(body.error).toBe('secondary_key_empty')
  else if (ifReady && !isReady) expect(body.error).toBe('devices_not_ready')
  else {
    expect({ status, body }).toEqual({
      status: 200,
      body: { primary_key: model.secondary, secondary_key: null },
    })
    model.primary = model.secondary
    model.secondary = null
  }
}

async function changePolicy({ path, model }: Run, policy: KeyPolicy, ifReady: boolean) {
  const { status } = await platform.put(`${path}?if_ready=${ifReady}`, { key_policy: policy })
  const isReady = model.lastUses.every((use) => use?.kind === 'derived')
  const isRefused = ifReady && policy === 'derived_only' && model.policy === 'any' && !isReady
  expect(status).toBe(isRefused ? 409 : 200)
  if (!isRefused) model.policy = policy
}

async function deriveOne({ path, ids, model }: Run, index: number) {
  const device_id = ids[index]!
  const { status, body } = await platform.post(`${path}/keys/derive`, { device_ids: [device_id] })
  expect(status).toBe(model.primary ? 200 : 409)
  const read = (key: string | null) => key && derive(key, device_id)
  if (status === 200)
    expect(body.items).toEqual([
      { device_id, primary_key: read(model.primary), secondary_key: read(model.secondary) },
    ])
}

async function perform(run: Run, taken: Step) {
  const { model } = run
  switch (taken.does) {
    case 'generate':
      return generate(run)
    case 'flip':
      return flip(run, taken.ifReady)
    case 'derive':
      return deriveOne(run, taken.device)
    case 'policy':
      return changePolicy(run, taken.policy, taken.ifReady)
    case 'request': {
      const key = model.keys.at(-1 - taken.age)
      if (key) await request(run, taken.device, { key, kind: taken.kind, of: taken.of })
      return
    }
    case 'all': {
      const newest = model.keys.at(-1)
      if (newest)
        for (const index of run.ids.keys()) await request(run, index, { key: newest, kind: taken.kind })
    }
  }
}

/** The counts of the readiness are those of the model. */
async function compareReadiness({ path, model }: Run) {
  const count = (is: (key: string) => boolean, kind: KeyKind) =>
    model.lastUses.filter((use) => use && use.kind === kind && is(use.key)).length
  const byKind = (is: (key: string) => boolean) => ({
    bootstrap: count(is, 'bootstrap'),
    derived: count(is, 'derived'),
  })
  const { body } = await platform.get(`${path}/keys/readiness`)
  expect(body).toMatchObject({
    devices: DEVICES,
    primary: byKind((key) => key === model.primary),
    secondary: byKind((key) => key === model.secondary),
    replaced: byKind((key) => key !== model.primary && key !== model.secondary),
    unseen: model.lastUses.filter((use) => !use).length,
  })
}

/** How each device uses each key that was ever generated. */
const listUses = ({ ids, model: { keys } }: Run) =>
  keys.flatMap((key) => KEY_KINDS.flatMap((kind) => ids.map((_id, index) => ({ key, kind, index }))))

test('after any sequence of changes exactly the valid keys are accepted', { timeout: 1_800_000 }, () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const run = await makeRun()
      for (const taken of steps) await perform(run, taken)
      await compareReadiness(run)
      for (const { key, kind, index } of listUses(run)) {
        const expected = isValid(run.model, key, kind) ? 200 : 401
        expect(await request(run, index, { key, kind })).toBe(expected)
      }
      await compareReadiness(run)
    }),
    { numRuns: rounds(60, 8) },
  ),
)
