/**
 * A TCP proxy in front of a port of the server that can hold back what the server sends, so that a test decides what a
 * device has received when the server is killed.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface HoldingProxy extends AsyncDisposable {
  port: number
  /** From now on nothing of the server reaches the clients of present connections, and new ones are not held. */
  hold(): void
}

export async function startHoldingProxy(port: number): Promise<HoldingProxy> {
  const pairs: { near: Socket; far: Socket }[] = []
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    pairs.push({ near, far })
    for (const socket of [near, far]) socket.on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.pipe(far)
    far.pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    hold: () => {
      for (const { near, far } of pairs) {
        far.unpipe(near)
        far.resume()
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}
