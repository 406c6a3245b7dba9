/** A platform with a running broker and simulations, and functions to observe them. */
import { vi } from 'vitest'
import { startMqtt } from '../../src/mqtt/start.ts'
import { simulationTasks } from '../../src/simulations/tasks.ts'
import { runAllJobs } from './due-jobs.ts'
import { type Platform, startPlatform, type TestAnswer } from './platform.ts'
import { allSamples } from './sample-tables.ts'

export interface SimulatedWorld extends AsyncDisposable {
  platform: Platform
  /** Creates a simulation of `count` devices that send `level`. @returns its path */
  make(fields?: object): Promise<{ path: string; id: string; deviceIdPrefix: string }>
  /** Repeats the request until the answer is as expected. */
  until(path: string, isExpected: (body: TestAnswer['body']) => boolean): Promise<TestAnswer['body']>
  /** Stored samples of a client or an asset, oldest first. */
  listValues(ownerType: 'client' | 'asset', ownerId: string, name?: string): Promise<unknown[]>
  /** Stops the simulations of this node, as when the server stops. */
  stopSimulations(): Promise<void>
  startSimulations(): Promise<void>
  runJobs(): Promise<string[]>
}

export async function startSimulatedWorld(): Promise<SimulatedWorld> {
  const platform = await startPlatform()
  const { ctx } = platform
  const mqtt = await startMqtt(ctx, platform.parts)
  let simulations = await platform.parts.simulations.start()
  return {
    platform,
    make: async (fields = {}) => {
      const { status, body } = await platform.post('/v1/simulations', {
        displayName: 'Tanks',
        organizationId: platform.organizationId,
        providerId: 'mqtt',
        count: 2,
        signals: [{ name: 'level', generator: 'constant', value: 7 }],
        intervalSeconds: 1,
        ...fields,
      })
      if (status !== 201) throw new Error(`making a simulation answered ${status}: ${JSON.stringify(body)}`)
      return { path: `/v1/simulations/${body.id}`, ...body }
    },
    until: (path, isExpected) =>
      vi.waitFor(async () => {
        const { body } = await platform.get(path)
        if (!isExpected(body)) throw new Error(`still ${JSON.stringify(body)}`)
        return body
      }, OFTEN),
    listValues: async (ownerType, ownerId, name = 'level') =>
      (await ctx.pool.query(valuesQuery, [ownerType, ownerId, name])).rows.map(({ value }) => value),
    stopSimulations: async () => simulations[Symbol.asyncDispose](),
    startSimulations: async () => {
      simulations = await platform.parts.simulations.start()
    },
    runJobs: () => runAllJobs(ctx, simulationTasks(ctx)),
    [Symbol.asyncDispose]: async () => {
      await simulations[Symbol.asyncDispose]()
      await mqtt[Symbol.asyncDispose]()
      await platform[Symbol.asyncDispose]()
    },
  }
}

const OFTEN = { interval: 20 }

const valuesQuery = `
  select sample.value from series
  join ${allSamples} as sample on sample.series_number = series.number
  where series.owner_type = $1 and series.owner_id = $2 and series.name = $3 order by sample.time`
