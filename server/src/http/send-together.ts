import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/**
 * Answers that are made in one turn of the event loop leave at its end, one write right behind the other. Devices that
 * come by the thousands are answered in batches; were each answer sent as it is made, the network would be woken up for
 * each of them alone.
 */
export function sendTogether(app: FastifyInstance): void {
  let waiting: Socket[] = []
  const send = () => {
    const sockets = waiting
    waiting = []
    for (const socket of sockets) socket.uncork()
  }
  app.addHook('onSend', (request, _reply, payload, done) => {
    // A stream is sent as it comes.
    if (typeof payload === 'string') {
      request.raw.socket.cork()
      if (waiting.push(request.raw.socket) === 1) setImmediate(send)
    }
    done(null, payload)
  })
}
