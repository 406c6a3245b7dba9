/** The installation of one case: an embedded PostgreSQL with its usual settings, a server and an administrator. */
import { cleanUp } from '@gangway/server/dist/database/clean-up.js'
import type { Bench } from '../bench-case.ts'
import { type Api, logIn } from './api.ts'
import { type Installation, startInstallation } from './installation.ts'
import type { Server } from './server.ts'

export interface Platform extends Installation {
  /** The present server process. */
  server(): Server
  api(): Api
  restartServer(): Promise<void>
}

export async function startPlatform(bench: Pick<Bench, 'profileDir'>): Promise<Platform> {
  await using started = cleanUp()
  const installation = started.use(await startInstallation(bench))
  let server = await installation.startNode('data')
  let api = await logIn(server.endpoints.http, installation.adminPassword)
  return {
    ...installation,
    server: () => server,
    api: () => api,
    async restartServer() {
      await server.stop()
      server = await installation.startNode('data')
      api = await logIn(server.endpoints.http, installation.adminPassword)
    },
    ...started.keep(),
  }
}
