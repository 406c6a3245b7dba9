/** Measures whether the pages of a long raw answer come at a constant speed, however many there were before. */
import { request } from 'node:http'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Bench } from '../bench-case.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { median } from '../measure/statistics.ts'
import type { GangwayStore } from './gangway.ts'
import type { StoredHistory } from './questions.ts'
import { SIGNALS } from './sensors.ts'

const DAY_MS = 86_400_000
const ROUNDS = 5
/** About a page of the server: each line has a time, three names and a value. */
const PAGE_BYTES = 512 * 1024
/** Fewer pages would make a tenth that is a single one. */
const MIN_PAGES = 20
const GOAL = { ratioAtLeast: 0.8 }

/** Compares the last tenth of the pages with the first one, of all days of one signal as CSV. */
export async function measureRawPages(
  bench: Bench,
  gangway: GangwayStore,
  { devices, fromMs, days }: StoredHistory,
): Promise<Finding[]> {
  const question = { device: devices[0]!, signal: SIGNALS[0]!, fromMs, toMs: fromMs + days * DAY_MS }
  const [first, last]: [number[], number[]] = [[], []]
  let pages = 0
  for (let round = 0; round <= ROUNDS; round++) {
    const millis = await timePages(gangway.makeRequest(question))
    pages = millis.length
    if (pages < MIN_PAGES) {
      bench.progress(`the pages of ${days} days are not compared: there are only ${pages} of them`)
      return []
    }
    const tenth = Math.floor(pages / 10)
    // The first round fills caches.
    if (round === 0) continue
    first.push(median(millis.slice(0, tenth)))
    last.push(median(millis.slice(-tenth)))
  }
  return [
    compare({
      measure: `a page of ${days} days raw, last tenth, p50`,
      unit: 'ms',
      better: 'less',
      rounds: last,
      baseline: { name: 'first tenth', rounds: first },
      goal: GOAL,
      details: { pages },
    }),
  ]
}

/** @returns milliseconds that each `PAGE_BYTES` of the answer took */
async function timePages({ url, headers, body }: ReturnType<GangwayStore['makeRequest']>): Promise<number[]> {
  const sent = request(url, { method: 'POST', headers: { ...headers, accept: 'text/csv' } })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`the raw days were answered with ${response.statusCode}`)
  const millis: number[] = []
  let [bytes, startedMs] = [0, performance.now()]
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes < PAGE_BYTES) continue
    const nowMs = performance.now()
    // Several pages of one chunk are none longer.
    millis.push(((nowMs - startedMs) * PAGE_BYTES) / bytes)
    ;[bytes, startedMs] = [0, nowMs]
  }
  return millis
}
