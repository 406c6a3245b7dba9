/** Measures the server's event loop and memory, and the other tenant's PUBACK, while an attack runs. */
import { percentile } from '@gangway/bench/dist/measure/statistics.js'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Outcome } from './programs/other-device.ts'
import type { DeviceAccount } from './tenant.ts'
import type { World } from './world.ts'

export interface Measured {
  /** Longest time for which the event loop was held. */
  elapsedMs: number
  /** The same without the time in which other processes had the processor. */
  heldMs: number
  /** Processor time of all threads of the server process. */
  cpuSeconds: number
  grownMb: number
  messages: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** How often the other tenant's connection broke. */
  disconnects: number
}

const SCRAPE_MS = 500

/** @param other the sending device of the other tenant */
export async function measureDuring(
  { url, longestHold }: Pick<World, 'url' | 'longestHold'>,
  other: DeviceAccount,
  attack: () => Promise<void>,
): Promise<Measured> {
  const over = new AbortController()
  const sender = await startSending(other)
  const before = await scrape(url)
  await longestHold()
  const watched = watchUntil(over.signal, url)
  try {
    await attack()
  } finally {
    over.abort()
  }
  const { millis, disconnects } = await stopSending(sender)
  const { elapsedMs, cpuMs: heldMs } = await longestHold()
  const scrapes = [...(await watched), await scrape(url)]
  return {
    elapsedMs,
    heldMs,
    cpuSeconds: scrapes.at(-1)!.cpuSeconds - before.cpuSeconds,
    grownMb: (Math.max(...scrapes.map(({ bytes }) => bytes)) - before.bytes) / 1024 / 1024,
    messages: millis.length,
    p50Ms: percentile(millis, 50),
    p99Ms: percentile(millis, 99),
    maxMs: Math.max(...millis),
    disconnects,
  }
}

async function startSending(workerData: DeviceAccount): Promise<Worker> {
  const worker = new Worker(new URL('programs/other-device.js', import.meta.url), { workerData })
  await once(worker, 'message')
  return worker
}

async function stopSending(worker: Worker): Promise<Outcome> {
  const sent = once(worker, 'message')
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin
  worker.postMessage('over')
  const [outcome] = (await sent) as [Outcome]
  return outcome
}

interface Scrape {
  bytes: number
  cpuSeconds: number
}

async function watchUntil(over: AbortSignal, url: string): Promise<Scrape[]> {
  const scrapes: Scrape[] = []
  while (!over.aborted) {
    await sleep(SCRAPE_MS)
    scrapes.push(await scrape(url))
  }
  return scrapes
}

async function scrape(url: string): Promise<Scrape> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const metric = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  return {
    bytes: metric('process_resident_memory_bytes'),
    cpuSeconds: metric('process_cpu_seconds_total'),
  }
}
