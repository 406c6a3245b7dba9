/** Tells the runs of tests on this machine apart, so that each has ports of its own. */
import { createServer, type Server } from 'node:net'

/** More runs at once may take a port of another one. */
export const MOST_RUNS = 4
/** Who listens on one of these has its number. They are below the ports that tests use. */
const FIRST_PORT = 9_900

export interface RunNumber {
  /** From 0 on. */
  number: number
  release: () => Promise<void>
}

export async function takeRunNumber(): Promise<RunNumber> {
  for (let number = 0; number < MOST_RUNS; number++) {
    const server = await listen(FIRST_PORT + number)
    if (server) return { number, release: () => new Promise((resolve) => server.close(() => resolve())) }
  }
  return { number: 0, release: async () => {} }
}

const listen = (port: number): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
