/** What the server and the other tenant notice while an attack runs. */
import { percentile } from '@gangway/bench/dist/measure/statistics.js'
import type { MqttClient } from 'mqtt'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Measured {
  heldMs: number
  grownMb: number
  messages: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

const EVERY_MS = 20
const SCRAPE_MS = 500

/** @param device of the other tenant, connected */
export async function measureDuring(
  url: string,
  device: MqttClient,
  attack: () => Promise<void>,
): Promise<Measured> {
  const over = new AbortController()
  const before = await scrape(url)
  const acknowledged = sendUntil(over.signal, device)
  const watched = watchUntil(over.signal, url)
  try {
    await attack()
  } finally {
    over.abort()
  }
  const millis = await acknowledged
  const scrapes = [...(await watched), await scrape(url)]
  return {
    heldMs: Math.max(...scrapes.map(({ heldMs }) => heldMs)),
    grownMb: (Math.max(...scrapes.map(({ bytes }) => bytes)) - before.bytes) / 1024 / 1024,
    messages: millis.length,
    p50Ms: percentile(millis, 50),
    p99Ms: percentile(millis, 99),
    maxMs: Math.max(...millis),
  }
}

/** One message every 20 ms, whether or not the one before was acknowledged. @returns how long each PUBACK took */
async function sendUntil(over: AbortSignal, device: MqttClient): Promise<number[]> {
  const sent: Promise<number>[] = []
  while (!over.aborted || sent.length < 10) {
    const startMs = performance.now()
    const payload = JSON.stringify({ temperature: 20 + (sent.length % 50), count: sent.length })
    sent.push(
      device
        .publishAsync(`devices/${device.options.clientId}/telemetry`, payload, { qos: 1 })
        .then(() => performance.now() - startMs),
    )
    await sleep(EVERY_MS)
  }
  return Promise.all(sent)
}

interface Scrape {
  bytes: number
  /** Since the scrape before: the histogram of the event loop's delay starts again with each. */
  heldMs: number
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
    heldMs: metric('nodejs_eventloop_lag_max_seconds') * 1000,
  }
}
