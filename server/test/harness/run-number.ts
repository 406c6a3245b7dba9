/** Tells the runs of tests on this machine apart, so that each has ports of its own. */
import { createServer, type Server } from 'node:net'

/** A run beyond these shares the ports of the first one, and may find one of them taken. */
export const MOST_RUNS = 4
/** A run listens on this port plus its number, so that no other run takes the number. Tests use higher ports. */
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
