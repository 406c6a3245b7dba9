/** The real-time connection of the client against a real server, directly and through a network that fails. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { endConnection } from '../../server/src/push/connections/connection.ts'
import { expireSubscriptions } from '../../server/src/push/subscriptions/end-subscription.ts'
import { type Platform, startPlatform } from '../../server/test/harness/platform.ts'
import { makeClient, sampleMaker } from '../../server/test/harness/realtime.ts'
import { type SilentProxy, startSilentProxy } from '../../server/test/harness/silent-proxy.ts'
import { WebSocket } from '../../server/test/harness/web-socket.ts'
import type { TelemetryEvent } from '../src/realtime/events.ts'
import type { RealtimeState } from '../src/realtime/live.ts'
import { createRealtime, type Realtime } from '../src/realtime/realtime.ts'
import { defaultTiming, type Timing } from '../src/realtime/timing.ts'
import { createTokenSource } from '../src/token.ts'

let platform: Platform
let proxy: SilentProxy
let sample: Awaited<ReturnType<typeof sampleMaker>>
beforeAll(async () => {
  platform = await startPlatform()
  proxy = await startSilentProxy(platform.url)
  sample = await sampleMaker(platform)
  for (const id of ['gauge', 'meter', 'other']) await makeClient(platform, id)
})
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await platform?.[Symbol.asyncDispose]()
})

const open: Realtime[] = []
afterEach(() => {
  for (const live of open.splice(0)) live.close()
})

interface Opened {
  token?: () => string | undefined
  renew?: () => unknown
  timing?: Partial<Timing>
  fetch?: typeof fetch
}

function openLive({ token, renew, timing, fetch = globalThis.fetch }: Opened = {}) {
  const states: RealtimeState[] = []
  const gaps: Date[] = []
  const tokens = createTokenSource({ token: token ?? platform.adminToken, renew })
  const live = createRealtime(
    { url: new URL(proxy.url).origin, tokens, timeoutMs: 35_000, fetch },
    { WebSocket, onState: (state) => states.push(state), onGap: ({ since }) => gaps.push(since) },
    { ...defaultTiming, retryMs: 50, maxRetryMs: 200, ...timing },
  )
  open.push(live)
  const names = () => states.map(({ name }) => name)
  return { live, states, names, gaps }
}

/** Watches clients, and collects the values that come. */
function watch(live: Realtime, assets: string[]) {
  const values: unknown[] = []
  const gaps: Date[] = []
  const ends: Error[] = []
  const subscription = live.subscribe(
    { topic: 'telemetry', assets },
    ({ value }: TelemetryEvent) => values.push(value),
    { onGap: ({ since }) => gaps.push(since), onEnd: (error) => ends.push(error) },
  )
  return { ...subscription, values, gaps, ends }
}

const publish = (id: string, value: unknown) => platform.ctx.push.publishSamples([sample(id, value)])
const connections = () => [...platform.ctx.push.connections.values()]
const loseConnections = () => {
  for (const connection of connections())
    endConnection(platform.ctx.push, connection, 1001, 'The server stops.')
}

test('stored values come until the subscription is stopped', async () => {
  const { live, names } = openLive()
  const { values, started, stop } = watch(live, ['gauge'])
  await started
  publish('gauge', 1)
  publish('other', 2)
  publish('gauge', 3)
  await expect.poll(() => values).toEqual([1, 3])
  expect(names()).toEqual(['live'])
  stop()
  await expect.poll(() => platform.ctx.push.watchers.size).toBe(0)
})

test.each(['stop', 'close'] as const)('nothing of a batch comes after a `%s` within it', async (way) => {
  const { live } = openLive()
  const values: unknown[] = []
  const subscription = live.subscribe({ topic: 'telemetry', assets: ['gauge'] }, ({ value }) => {
    values.push(value)
    if (value !== 2) return
    if (way === 'stop') subscription.stop()
    else live.close()
  })
  await subscription.started
  platform.ctx.push.publishSamples([sample('gauge', 1), sample('gauge', 2), sample('gauge', 3)])
  await expect.poll(() => values).toContain(2)
  expect(values).toEqual([1, 2])
})

test('the last known values come first', async () => {
  const path = { providerId: 'live', clientId: 'kept' }
  const body = { type: 'import', displayName: 'Live', organizationId: platform.organizationId }
  await platform.put(`/v1/providers/${path.providerId}`, body)
  await platform.post('/v1/providers/live/clients', { id: 'kept', displayName: 'Kept' })
  await platform.post('/v1/providers/live/clients/kept/telemetry', { speed: 7.5 })
  const { values } = watch(openLive().live, ['kept'])
  await expect.poll(() => values).toEqual([7.5])
})

test('a refused subscription rejects its start with the reason, and ends', async () => {
  const { started, ends } = watch(openLive().live, ['nothing'])
  await expect(started).rejects.toMatchObject({ name: 'ApiError', status: 404, code: 'not_found' })
  expect(ends).toMatchObject([{ code: 'not_found' }])
})

test('a changed subscription watches other assets', async () => {
  const { started, values, change } = watch(openLive().live, ['gauge'])
  await started
  change({ assets: ['meter'] })
  await expect
    .poll(() => [...platform.ctx.push.subscriptions.values()].map(({ assets }) => assets))
    .toEqual([['meter']])
  publish('gauge', 1)
  publish('meter', 2)
  await expect.poll(() => values).toEqual([2])
})

test('after a break the connection is resumed: each value comes once, and there is no gap', async () => {
  const { live, names, gaps } = openLive()
  const { started, values, gaps: own } = watch(live, ['gauge'])
  await started
  publish('gauge', 1)
  await expect.poll(() => values).toEqual([1])
  const cut = proxy.refuseAll()
  await expect.poll(names).toContain('reconnecting')
  publish('gauge', 2)
  publish('gauge', 3)
  cut.back()
  await expect.poll(() => live.state.name).toBe('live')
  publish('gauge', 4)
  await expect.poll(() => values).toEqual([1, 2, 3, 4])
  expect([gaps, own]).toEqual([[], []])
})

test('a connection that the server has no more is replaced, and the gap is reported', async () => {
  const { live, names, gaps } = openLive()
  const { started, values, gaps: own } = watch(live, ['gauge'])
  await started
  publish('gauge', 1)
  await expect.poll(() => values).toEqual([1])
  const before = live.heardAt!
  loseConnections()
  publish('gauge', 2)
  await expect.poll(() => own).toHaveLength(1)
  publish('gauge', 3)
  await expect.poll(() => values).toEqual([1, 3])
  expect(names()).toEqual(['live', 'reconnecting', 'live'])
  expect(gaps).toEqual(own)
  expect(own[0]!.getTime()).toBeGreaterThanOrEqual(before.getTime())
})

test('a connection over which nothing comes any more is noticed, and resumed', async () => {
  const { live, states, gaps } = openLive({ timing: { quietMs: 100, answerMs: 300 } })
  const { started, values } = watch(live, ['gauge'])
  await started
  proxy.silence()
  publish('gauge', 1)
  await expect.poll(() => values).toEqual([1])
  const broken = states.find(({ name }) => name === 'reconnecting')
  expect(broken).toMatchObject({ error: { message: expect.stringContaining('The server is silent.') } })
  expect(gaps).toEqual([])
})

test('a silent server that does not come back in time is reported until it is there again', async () => {
  const { live, gaps } = openLive({
    timing: { quietMs: 100, answerMs: 300, openMs: 300, resumeMs: 500 },
  })
  await watch(live, ['gauge']).started
  const silent = proxy.silenceAll()
  await expect.poll(() => live.state.name).toBe('reconnecting')
  const since = live.state.since
  loseConnections()
  silent.back()
  await expect.poll(() => live.state.name).toBe('live')
  expect(gaps).toEqual([since])
})

test('a subscription is renewed before it expires', async () => {
  const { started } = watch(openLive({ timing: { renewSubscriptionMs: 50 } }).live, ['gauge'])
  await started
  const startedAtMs = () => [...platform.ctx.push.subscriptions.values()][0]!.startedAtMs
  const before = startedAtMs()
  await expect.poll(startedAtMs).toBeGreaterThan(before)
})

test('a subscription that has expired all the same is added again, and the gap is reported', async () => {
  const { push } = platform.ctx
  const { started, values, gaps } = watch(openLive().live, ['gauge'])
  await started
  for (const subscription of push.subscriptions.values()) subscription.startedAtMs -= 601_000
  expireSubscriptions(push)
  await expect.poll(() => gaps).toHaveLength(1)
  publish('gauge', 1)
  await expect.poll(() => values).toEqual([1])
})

test('a subscription that expires before its answer arrives is added again', async () => {
  const { push } = platform.ctx
  let added = 0
  const lateAnswers: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (init?.method === 'POST' && String(input).endsWith('/subscriptions') && ++added === 1) {
      for (const subscription of push.subscriptions.values()) subscription.startedAtMs -= 601_000
      expireSubscriptions(push)
      await expect.poll(() => live.state.name).toBe('connecting')
      // The event arrives over the connection before this answer does.
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    return response
  }
  const { live } = openLive({ fetch: lateAnswers })
  const { started, values } = watch(live, ['gauge'])
  await started
  await expect.poll(() => added).toBe(2)
  await expect.poll(() => [...push.subscriptions.values()].length).toBe(1)
  publish('gauge', 1)
  await expect.poll(() => values).toEqual([1])
})

test.each(['before', 'after'])(
  'a subscription whose connection ends is not taken for refused %s there is another connection',
  async (when) => {
    let negotiations = 0
    let added = 0
    let isAnswered = false
    const slow: typeof fetch = async (input, init) => {
      if (String(input).endsWith('/negotiate') && ++negotiations === 2 && when === 'before')
        await expect.poll(() => isAnswered).toBe(true)
      if (!String(input).endsWith('/subscriptions') || ++added > 1) return fetch(input, init)
      loseConnections()
      const response = await fetch(input, init)
      expect(response.status).toBe(404)
      await expect.poll(() => negotiations).toBe(2)
      if (when === 'after') await expect.poll(connections).toHaveLength(1)
      // The client reads the answer first.
      setTimeout(() => (isAnswered = true), 100)
      return response
    }
    const { started, values, ends } = watch(openLive({ fetch: slow }).live, ['gauge'])
    await started
    publish('gauge', 1)
    await expect.poll(() => values).toEqual([1])
    expect(ends).toEqual([])
  },
)

test('a connection whose token expires is replaced before: each value comes once, and there is no gap', async () => {
  let negotiations = 0
  /** The server's answer, as if the token of the first connection expired soon. */
  const expiring: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (!String(input).endsWith('/negotiate') || negotiations++ > 0) return response
    const expiresAt = new Date(Date.now() + 4000).toISOString()
    return Response.json({ ...((await response.json()) as object), expiresAt })
  }
  const { live, names, gaps } = openLive({ fetch: expiring })
  const { started, values, gaps: own } = watch(live, ['gauge'])
  await started
  const [first] = connections()
  let next = 0
  const timer = setInterval(() => publish('gauge', next++), 20)
  await expect.poll(() => connections().map(({ id }) => id)).not.toContain(first!.id)
  publish('gauge', 'last')
  clearInterval(timer)
  await expect.poll(() => values.at(-1)).toBe('last')
  expect(values).toEqual([...Array.from({ length: next }).keys(), 'last'])
  expect([names(), gaps, own]).toEqual([['live'], [], []])
})

test('a refused sign-in is reported, and tried again on demand', async () => {
  let token = 'expired'
  const { live, names } = openLive({ token: () => token })
  const { started } = watch(live, ['gauge'])
  await expect.poll(() => live.state).toMatchObject({ name: 'refused', error: { code: 'unauthorized' } })
  token = platform.adminToken
  live.retry()
  await started
  await expect.poll(names).toEqual(['refused', 'live'])
})

test('a connection that is closed ends at the server, and does not come back', async () => {
  const { live } = openLive()
  await watch(live, ['gauge']).started
  live.close()
  await expect.poll(connections).toEqual([])
  expect(live.state.name).toBe('closed')
})
