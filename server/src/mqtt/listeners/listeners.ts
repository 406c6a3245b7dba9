/** Listens for devices on TCP, and on TLS with a certificate that is renewed while the server runs. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Context } from '../../context.ts'
import { type ListenAddress, ListenError } from '../../lib/listen-error.ts'
import { recordHandshakeError } from '../../tls/record-handshake.ts'
import type { Gateway } from '../gateway.ts'

/** A TLS handshake that takes longer is given up. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** Connections that the kernel queues: after a power cut thousands of devices connect at once. It has a limit of its own. */
const BACKLOG = 8192
/** How long a device can resume its TLS session, at most: each check of the certificate makes new keys for the sessions. */
const SESSION_TIMEOUT_SECONDS = 12 * 3600

const secureOptions = { minVersion: 'TLSv1.2', sessionTimeout: SESSION_TIMEOUT_SECONDS } as const

export interface Listeners extends AsyncDisposable {
  mqttPort: number
  mqttsPort: number
}

export async function listen(ctx: Context, acceptStream: Gateway['accept']): Promise<Listeners> {
  const { config, serverCertificates } = ctx
  const accept = (socket: Socket) => acceptStream(socket, socket.remoteAddress)
  // Half-open, so that packets which a device sent before it closed its side are still read.
  const options = { noDelay: true, keepAlive: true, allowHalfOpen: true }
  const plain = createServer(options, accept)
  const secure = createTlsServer(
    {
      ...(await serverCertificates.load()),
      ...secureOptions,
      // The sign-in judges certificates by their record, so that devices without one are as welcome. [docs/certificates#mqtt]
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      ...options,
    },
    accept,
  )
  secure.on('tlsClientError', (error, socket) => {
    recordHandshakeError(ctx.attempts, error, socket.remoteAddress)
  })
  const stopRenewal = serverCertificates.renew(secure, secureOptions)
  const stopListening = async () => {
    stopRenewal()
    for (const server of [plain, secure]) if (server.listening) server.close()
  }
  try {
    const at = { host: config.mqttHost, hostVariable: 'GANGWAY_MQTT_HOST' }
    const mqttPort = await listenOn(plain, {
      ...at,
      port: config.mqttPort,
      portVariable: 'GANGWAY_MQTT_PORT',
    })
    const mqttsPort = await listenOn(secure, {
      ...at,
      port: config.mqttsPort,
      portVariable: 'GANGWAY_MQTTS_PORT',
    })
    return { mqttPort, mqttsPort, [Symbol.asyncDispose]: stopListening }
  } catch (error) {
    await stopListening()
    throw error
  }
}

/** @returns the port, which the system chooses where the address has 0. @throws ListenError */
function listenOn(server: Server, address: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new ListenError(address, error)))
    server.listen({ host: address.host, port: address.port, backlog: BACKLOG }, () => {
      server.removeAllListeners('error')
      // An error such as "too many open files" costs one socket, not the server.
      server.on('error', () => {})
      resolve((server.address() as AddressInfo).port)
    })
  })
}
