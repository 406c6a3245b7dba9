/** The baseline of `storm` and `memory`: a server that accepts every CONNECT and keeps no state. */
import { createServer, type AddressInfo } from 'node:net'
import { ignoreInterrupt, serve } from './serve.ts'
import { settledMemory } from './settled-memory.ts'

const CONNACK = Buffer.from([0x20, 2, 0, 0])

const server = createServer({ noDelay: true }, (socket) => {
  socket.once('data', () => {
    socket.write(CONNACK)
    socket.resume()
  })
  socket.on('error', () => {})
})

const handlers = {
  /** @returns the port */
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
        resolve((server.address() as AddressInfo).port),
      )
    }),
  memory: settledMemory,
}

export type BareBrokerProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
