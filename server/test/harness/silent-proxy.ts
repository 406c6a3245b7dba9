/**
 * A TCP proxy in front of the test's database that lets connections go silent, as a broken network does: nothing
 * passes any more in either direction, without an error.
 *
 *     await using proxy = await startSilentProxy(database.url)
 *     const pool = createPool({ connectionString: proxy.url }, testLog)
 *     proxy.silence()
 */
import { connect, createServer, type Socket } from 'node:net'

export interface SilentProxy extends AsyncDisposable {
  url: string
  /** Present connections pass nothing any more and stay open on both sides; new ones work. */
  silence(): void
  /** As `silence`, for new connections too, until `back` is called. */
  silenceAll(): { back(): void }
  /** Present connections are not read any more, so that their senders cannot send; new ones work. */
  stopReading(): void
  /** Cuts present connections, and new ones until `back` is called. */
  refuseAll(): { back(): void }
  /** New connections are accepted and wait, until `back` is called. */
  holdNew(): { back(): void }
  /** How many connections were made so far. */
  count(): number
}

interface Flow {
  isSilent: boolean
  ends: Socket[]
}

export async function startSilentProxy(databaseUrl: string): Promise<SilentProxy> {
  const upstream = readAddress(new URL(databaseUrl))
  const flows: Flow[] = []
  let isAllSilent = false
  let isRefusing = false
  let isHolding = false
  const held: (() => void)[] = []
  const cut = () => {
    for (const { ends } of flows) for (const end of ends) end.destroy()
  }
  const server = createServer((near) => {
    if (isRefusing) return void near.destroy()
    const flow: Flow = { isSilent: isAllSilent, ends: [near] }
    flows.push(flow)
    const open = () => {
      const far = connect(upstream)
      flow.ends.push(far)
      forward(near, far, flow)
      forward(far, near, flow)
    }
    if (isHolding) held.push(open)
    else open()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const silence = () => {
    for (const flow of flows) flow.isSilent = true
  }
  return {
    url: urlThrough(databaseUrl, (server.address() as { port: number }).port),
    silence,
    silenceAll: () => {
      isAllSilent = true
      silence()
      return { back: () => void (isAllSilent = false) }
    },
    stopReading: () => {
      for (const { ends } of flows) for (const end of ends) end.pause()
    },
    refuseAll: () => {
      isRefusing = true
      cut()
      return { back: () => void (isRefusing = false) }
    },
    holdNew: () => {
      isHolding = true
      return {
        back: () => {
          isHolding = false
          for (const open of held.splice(0)) open()
        },
      }
    },
    count: () => flows.length,
    [Symbol.asyncDispose]: async () => {
      const closed = new Promise((resolve) => void server.close(resolve))
      cut()
      await closed
    },
  }
}

/** What a silent connection sends is read and dropped, and its end is not passed on. */
function forward(from: Socket, to: Socket, flow: Flow) {
  from.on('data', (chunk) => void (flow.isSilent || to.write(chunk)))
  from.on('error', () => {})
  from.on('close', () => void (flow.isSilent || to.destroy()))
}

function readAddress(url: URL) {
  const directory = url.searchParams.get('host')
  const port = Number(url.searchParams.get('port') || url.port || 5432)
  return directory?.startsWith('/')
    ? { path: `${directory}/.s.PGSQL.${port}` }
    : { host: directory ?? url.hostname, port }
}

function urlThrough(databaseUrl: string, port: number) {
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.searchParams.delete('port')
  url.hostname = '127.0.0.1'
  url.port = `${port}`
  return url.href
}
