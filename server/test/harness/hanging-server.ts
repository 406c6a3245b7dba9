/** A server that accepts connections, reads requests and never answers. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

export interface HangingServer extends AsyncDisposable {
  /** Host and port. */
  address: string
  /** Number of open connections. */
  open(): number
}

export async function startHangingServer(): Promise<HangingServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.resume().on('error', () => {}))
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    open: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}
