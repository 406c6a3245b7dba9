/** A server with two tenants: one attacks, the other has a device that keeps sending. */
import type { Hold } from '@gangway/bench/dist/programs/event-loop.js'
import type { Server } from '@gangway/bench/dist/platform/server.js'
import type { Bench } from '@gangway/bench/dist/bench-case.js'
import { type Platform, startPlatform } from '@gangway/bench/dist/platform/start.js'
import { makeTenant, type Tenant, tenantAt } from './tenant.ts'

export interface World extends AsyncDisposable {
  url: string
  /** How long the server's event loop was held at most since the last call. */
  longestHold(): Promise<Hold>
  attacker: Tenant
  victim: Tenant
  /** The process of the server. */
  server: Server
  pool: Platform['pool']
}

export async function startWorld({ profileDir }: Partial<Pick<Bench, 'profileDir'>> = {}): Promise<World> {
  const platform = await startPlatform({ profileDir })
  const server = platform.server()
  const { endpoints, mqttPort } = server
  const admin = await tenantAt({ id: 'default', url: endpoints.http, token: platform.api().token, mqttPort })
  const attacker = await makeTenant('attacker', admin)
  const victim = await makeTenant('victim', admin)
  return {
    url: endpoints.http,
    longestHold: () => platform.server().call('longestHold'),
    attacker,
    victim,
    server,
    pool: platform.pool,
    async [Symbol.asyncDispose]() {
      await attacker.end()
      await victim.end()
      await platform[Symbol.asyncDispose]()
    },
  }
}
