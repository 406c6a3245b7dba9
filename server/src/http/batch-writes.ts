import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Sends the answers of one turn of the event loop together at its end. Devices that connect by the thousands are
 * answered in batches; sending each answer alone would wake up the network for each of them.
 */
export function batchWrites(app: FastifyInstance): void {
  let waiting: Socket[] = []
  const send = () => {
    const sockets = waiting
    waiting = []
    for (const socket of sockets) socket.uncork()
  }
  app.addHook('onSend', (request, _reply, payload, done) => {
    // Streams are sent directly.
    if (typeof payload === 'string') {
      request.raw.socket.cork()
      if (waiting.push(request.raw.socket) === 1) setImmediate(send)
    }
    done(null, payload)
  })
}
