/** Ports of servers that a test restarts at the same addresses, and that must not be taken meanwhile. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { inject } from 'vitest'
import { MOST_RUNS } from './run-number.ts'

/** Below the ports that the system gives to outgoing connections. */
const [FIRST, LAST] = [10_000, 32_000]
const MOST_WORKERS = 8
const PORTS_OF_WORKER = Math.floor((LAST - FIRST) / MOST_WORKERS / MOST_RUNS)
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % MOST_WORKERS
const workerFirst = FIRST + (inject('runNumber') * MOST_WORKERS + worker) * PORTS_OF_WORKER

/** The next ports of this worker of this run. */
const ports = (function* () {
  for (let index = randomInt(PORTS_OF_WORKER); ; index++) yield workerFirst + (index % PORTS_OF_WORKER)
})()

/** @returns a port that neither this worker nor another one of the run gives out again soon */
export async function findFreePort(): Promise<number> {
  const port = ports.next().value
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (!isFree) return findFreePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}
