/** Devices that ask for their settings over keep-alive connections, one request at a time on each. */
import { createConnection } from 'node:net'
import { ignoreInterrupt, serve } from './serve.ts'

const handlers = {
  /**
   * @param authorizations one a device; the connections share them out, so that no two ask for the same device at once
   * @returns requests answered a second
   * @throws for an answer other than 200
   */
  async get(url: string, authorizations: string[], connections: number, seconds: number) {
    const { hostname, port, pathname } = new URL(url)
    const requests = authorizations.map((authorization) =>
      Buffer.from(
        `GET ${pathname} HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: ${authorization}\r\n\r\n`,
      ),
    )
    const startedMs = performance.now()
    const untilMs = startedMs + seconds * 1000
    const counts = await Promise.all(
      Array.from({ length: connections }, (_, index) => {
        const own = requests.filter((_request, place) => place % connections === index)
        return askUntil(Number(port), hostname, own, untilMs)
      }),
    )
    const answered = counts.reduce((sum, count) => sum + count, 0)
    return answered / ((performance.now() - startedMs) / 1000)
  },
}

export type RequestsProgram = typeof handlers

function askUntil(port: number, host: string, requests: Buffer[], untilMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host, noDelay: true })
    let answered = 0
    let received = ''
    const ask = () => socket.write(requests[answered % requests.length]!)
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a connection')))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
      if (!isWhole(received)) return
      if (!received.startsWith('HTTP/1.1 200 '))
        return reject(new Error(`answered: ${received.slice(0, 500)}`))
      received = ''
      answered++
      if (performance.now() < untilMs) return ask()
      resolve(answered)
      socket.destroy()
    })
  })
}

/** One answer at a time, always with its length. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  if (length === undefined) throw new Error(`an answer without a length: ${text.slice(0, 500)}`)
  return text.length >= headEnd + 4 + Number(length)
}

ignoreInterrupt()
serve(handlers)
