/** The baseline of `settings` and `enrol`: Fastify with a route that does nothing. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadServerCertificate } from '@gangway/server/dist/tls/server-certificate.js'
import Fastify from 'fastify'
import { ignoreInterrupt, serve } from './serve.ts'

const HERE = { host: '127.0.0.1', port: 0 }

const handlers = {
  /** @returns its URL */
  async listen() {
    const app = Fastify()
    app.get('/get_settings', async () => ({}))
    return app.listen(HERE)
  },

  /** With a certificate like that of the server. @returns its URL */
  async listenOverTls() {
    const dataDir = await mkdtemp(join(tmpdir(), 'gangway-bench-tls-'))
    const names = { publicUrl: undefined, tlsNames: [], mqttsCertFile: undefined, mqttsKeyFile: undefined }
    const certificate = await loadServerCertificate({ dataDir, ...names })
    await rm(dataDir, { recursive: true })
    const app = Fastify({ https: { ...certificate, requestCert: true, rejectUnauthorized: false } })
    app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body)
    app.post('/simpleenroll', async () => '')
    return app.listen(HERE)
  },
}

export type EmptyRouteProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
