// Asks the running server whether it is ready, for the health checks of containers: exit code 0 or 1, with the reason.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

// Shorter than the timeout of health checks, so that the reason is still printed.
const ANSWER_MS = 4_000
const everyAddress = ['', '0.0.0.0', '::']

try {
  const endpoints = await readFile(join(process.env.GANGWAY_DATA_DIR || './data', 'endpoints.json'), 'utf8')
  const url = new URL('/readyz', JSON.parse(endpoints).http)
  const host = process.env.GANGWAY_HTTP_HOST ?? ''
  if (!everyAddress.includes(host)) url.hostname = host.includes(':') ? `[${host}]` : host
  const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })
  console.log(await answer.text())
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  console.error(`The server does not answer: ${error.cause?.message || error.message}`)
  process.exitCode = 1
}
