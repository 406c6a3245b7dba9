/** A server of one file that supports Range, cuts answers as a test requires, and records its requests. */
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface CutAnswer {
  cutAfter: number
  /** Whether the connection may be cut: what the device has not stored by then is lost. */
  isStored(): Promise<boolean>
}

export interface FileServer extends AsyncDisposable {
  url: string
  sha256: string
  /** Requested ranges; null for a request without a range. */
  asked: (string | null)[]
  /** For each of the next answers: the number of bytes until the connection is cut, a status, or no answer. */
  next: (CutAnswer | { status: number } | { withoutRange: true } | { silent: true })[]
}

async function cut(response: ServerResponse, { isStored }: CutAnswer): Promise<void> {
  while (!response.destroyed && !(await isStored())) await sleep(5)
  response.destroy()
}

export async function startFileServer(content: Buffer): Promise<FileServer> {
  const files = { asked: [], next: [] } as unknown as FileServer
  const server = createServer((request, response) => {
    const range = request.headers.range ?? null
    files.asked.push(range)
    const scripted = files.next.shift()
    if (scripted && 'status' in scripted) return void response.writeHead(scripted.status).end()
    if (scripted && 'silent' in scripted) return
    const isIgnored = scripted && 'withoutRange' in scripted
    const start = range && !isIgnored ? Number(/^bytes=(\d+)-$/.exec(range)![1]) : 0
    if (start >= content.length) return void response.writeHead(416).end()
    const rest = content.subarray(start)
    response.writeHead(start > 0 ? 206 : 200, { 'content-length': rest.length })
    if (!scripted || !('cutAfter' in scripted)) return void response.end(rest)
    response.write(rest.subarray(0, scripted.cutAfter))
    void cut(response, scripted)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  files.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/firmware.bin`
  files.sha256 = createHash('sha256').update(content).digest('hex')
  files[Symbol.asyncDispose] = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return files
}
