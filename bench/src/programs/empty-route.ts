/** The baseline of `settings`: Fastify with a route that does nothing. */
import Fastify from 'fastify'
import { ignoreInterrupt, serve } from './serve.ts'

const handlers = {
  /** @returns its URL */
  async listen() {
    const app = Fastify()
    app.get('/get_settings', async () => ({}))
    return app.listen({ host: '127.0.0.1', port: 0 })
  },
}

export type EmptyRouteProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
