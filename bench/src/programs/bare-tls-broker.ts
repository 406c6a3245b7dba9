/** The baseline of `mtls-storm`: a server that accepts every certificate and every CONNECT, and keeps no state. */
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { ignoreInterrupt, serve } from './serve.ts'

const CONNACK = Buffer.from([0x20, 2, 0, 0])
const SESSION_TIMEOUT_SECONDS = 12 * 3600

const handlers = {
  /** @param certificate PEM, and its key @returns the port */
  listen: (certificate: string, key: string) =>
    new Promise<number>((resolve) => {
      const options = { cert: certificate, key, requestCert: true, rejectUnauthorized: false, noDelay: true }
      const server = createServer({ ...options, sessionTimeout: SESSION_TIMEOUT_SECONDS }, (socket) => {
        socket.once('data', () => {
          socket.write(CONNACK)
          socket.resume()
        })
        socket.on('error', () => {})
      })
      server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
        resolve((server.address() as AddressInfo).port),
      )
    }),
}

export type BareTlsBrokerProgram = typeof handlers

ignoreInterrupt()
serve(handlers)
