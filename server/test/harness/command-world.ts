/** Pumps whose commands are bound to their own devices, on a platform that also has an IoT Hub. */
import { vi } from 'vitest'
import { commandTasks } from '../../src/assets/commands/tasks.ts'
import { insertAsset, insertBinding, makePumpModel } from './assets.ts'
import { runAllJobs } from './due-jobs.ts'
import { connectSession, type RecordedSession } from './live-session.ts'
import { type Platform, startPlatform } from './platform.ts'
import { type StandInHub, startStandInHub } from './stand-in-hub.ts'

export interface CommandWorld extends AsyncDisposable {
  platform: Platform
  hub: StandInHub
  /** A pump whose commands `start` and `motor`'s `brake` are bound to its own client. */
  makePump(options?: { provider?: string; inverseTransform?: unknown }): Promise<Pump>
  runJobs(): Promise<string[]>
  /** Simulates the passing of time for all commands. */
  passSeconds(seconds: number): Promise<void>
  /** Simulates the gateway when the device subscribes. */
  dispatch(pump: Pump): Promise<void>
}

export type Pump = Awaited<ReturnType<typeof insertPump>>

export interface Question {
  correlationId: string
  payload: unknown
  timeoutSeconds: number
}

export async function startCommandWorld(): Promise<CommandWorld> {
  const hub = await startStandInHub()
  const platform = await startPlatform()
  const { ctx, parts, organizationId } = platform
  await makePumpModel(platform)
  const provider = { id: 'hub', type: 'iothub', displayName: 'Hub', organizationId }
  await platform.post('/v1/providers', { ...provider, connectionString: hub.connectionString })
  let made = 0
  return {
    platform,
    hub,
    makePump: async ({ provider: providerId = 'mqtt', inverseTransform } = {}) => {
      const pump = await insertPump(platform, ++made, providerId)
      const { id, client } = pump
      await insertBinding(platform, `${id}/-/command/start`, [`${client}/-/command/spin`], {
        inverseTransform,
      })
      await insertBinding(platform, `${id}/motor/command/brake`, [`${client}/motor/command/brake`])
      return pump
    },
    runJobs: () => runAllJobs(ctx, commandTasks(ctx)),
    passSeconds: async (seconds) => {
      await ctx.pool.query(
        `update asset_commands set expires_at = expires_at - make_interval(secs => $1),
          started_at = started_at - make_interval(secs => $1)`,
        [seconds],
      )
    },
    dispatch: ({ client, number }) => parts.commandQueue.dispatchIfQueued({ id: client, number }),
    [Symbol.asyncDispose]: async () => {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

async function insertPump(platform: Platform, count: number, providerId: string) {
  const [id, client] = [`pump-${count}`, `client-${count}`]
  await insertAsset(platform, id)
  await platform.post(`/v1/providers/${providerId}/clients`, { id: client, displayName: client })
  const { number } = await platform.ctx.db
    .selectFrom('provider_clients')
    .select('number')
    .where('id', '=', client)
    .executeTakeFirstOrThrow()
  const at = `/v1/assets/${id}/commands`
  const status = async () => (await platform.get(`${at}/start`)).body
  return {
    id,
    client,
    number,
    at: `${at}/start`,
    send: (body: object = {}) => platform.post(`${at}/start`, { payload: 5, ...body }),
    brake: (body: object = {}) => platform.post(`${at}/brake`, { componentId: 'motor', ...body }),
    status,
    /** Waits for a final status. */
    ends: () =>
      vi.waitFor(async () => {
        const last = await status()
        if (['queued', 'running'].includes(last.status)) throw new Error(`still ${last.status}`)
        return last
      }),
    /** Its device, subscribed to these methods. */
    connect: (...methods: string[]) =>
      connectSession(
        platform.ctx,
        client,
        methods.map((method) => `devices/${client}/methods/${method}/invoke`),
      ),
    answer: ({ correlationId }: Question, code: number, payload: unknown = null) =>
      platform.ctx.pendingMethods.settle(client, correlationId, { status: code, payload }),
  }
}

/** Waits for the first invocation of a device. */
export const asked = ({ sent }: RecordedSession): Promise<Question> =>
  vi.waitFor(() => {
    if (!sent[0]) throw new Error('nothing was sent')
    return sent[0].payload as Question
  })
