import { once } from 'node:events'
import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { allowSlowBody, limitBodyDuration } from './body-timeout.ts'

const BODY_MS = 50

async function startServer(isSlow: boolean, onRequest: () => Promise<void> = async () => {}) {
  const app = Fastify({ requestTimeout: 0 })
  limitBodyDuration(app, BODY_MS)
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume().on('end', () => done(null))
  })
  const hooks = isSlow ? { preParsing: allowSlowBody } : {}
  app.post('/', { onRequest, ...hooks }, async () => ({ ok: true }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(async () => {
    socket.destroy()
    await app.close()
  })
  const send = (body: string) =>
    socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-type: a/b\r\ncontent-length: 4\r\n\r\n${body}`)
  return { socket, send }
}

test('headers and ordinary bodies have a minute', () => {
  const app = Fastify({ requestTimeout: 0 })
  limitBodyDuration(app)
  expect([app.server.requestTimeout, app.server.headersTimeout]).toEqual([0, 60_000])
})

test('a request whose body does not arrive is ended, and one whose body arrived is answered', async () => {
  const { socket, send } = await startServer(false)
  send('full')
  expect(String(await once(socket, 'data'))).toContain('200 OK')
  const started = performance.now()
  send('ha')
  await once(socket, 'close')
  expect(performance.now() - started).toBeGreaterThan(BODY_MS - 10)
})

test('an upload may take longer as long as data arrives', async () => {
  const { socket, send } = await startServer(true)
  send('ha')
  // This test measures time, so it cannot be shortened.
  await new Promise((resolve) => setTimeout(resolve, BODY_MS * 3))
  socket.write('lf')
  expect(String(await once(socket, 'data'))).toContain('200 OK')
})

test('an upload without authentication may not', async () => {
  const { socket, send } = await startServer(true, async () => {
    throw Object.assign(new Error('who?'), { statusCode: 401 })
  })
  send('ha')
  expect(String(await once(socket, 'data'))).toContain('401')
  await once(socket, 'close')
})
