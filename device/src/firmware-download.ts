import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { backOffCeilingMs, fullJitterMs } from './back-off.ts'
import type { Clock } from './clock.ts'
import type { FirmwareOrder } from './firmware-order.ts'

export interface DownloadOptions {
  /** Path of the complete file; a partial download has the suffix `.part`. */
  path: string
  fetch: typeof fetch
  clock: Clock
  signal: AbortSignal
  onProgress: (percent: number) => void
}

/** Tries without a new byte before the download fails. */
const MAX_TRIES = 10
/** Longest time without data. */
const STALL_MS = 60_000

/** The file is not available or differs from the order; retrying would not help. */
export class FirmwareError extends Error {
  override readonly name = 'FirmwareError'
}

/**
 * Downloads the file and continues an earlier download, also of an earlier process. The file exists only when its size
 * and checksum are right.
 *
 * Errors: {@link FirmwareError}; the signal's reason where it aborts.
 */
export async function downloadFirmware(order: FirmwareOrder, options: DownloadOptions): Promise<void> {
  const part = `${options.path}.part`
  let triesInVain = 0
  for (;;) {
    const before = await fileSize(part)
    try {
      await fetchRest(order, part, before, options)
      break
    } catch (error) {
      options.signal.throwIfAborted()
      if (error instanceof FirmwareError) throw error
      triesInVain = (await fileSize(part)) > before ? 0 : triesInVain + 1
      if (triesInVain === MAX_TRIES)
        throw new FirmwareError(`the download cannot continue: ${(error as Error).message}`)
      const waitMs = fullJitterMs(backOffCeilingMs(triesInVain + 1), options.clock.random())
      await options.clock.sleep(waitMs, options.signal)
    }
  }
  await requireWhole(order, part)
  await rename(part, options.path)
}

async function fetchRest(
  order: FirmwareOrder,
  part: string,
  have: number,
  { fetch, signal, onProgress }: DownloadOptions,
): Promise<void> {
  const stalled = new AbortController()
  const stop = AbortSignal.any([signal, stalled.signal])
  let timer = setTimeout(() => stalled.abort(new Error('no bytes arrived')), STALL_MS)
  try {
    const headers: Record<string, string> = have > 0 ? { range: `bytes=${have}-` } : {}
    const response = await fetch(order.url, { headers, signal: stop })
    // The partial file is complete, or too long: the checksum decides.
    if (response.status === 416) return
    if (response.status !== 200 && response.status !== 206) throw refused(response.status)
    const start = response.status === 206 ? have : 0
    const total = start + Number(response.headers.get('content-length') ?? Number.NaN)
    if (order.size !== undefined && total !== order.size && !Number.isNaN(total))
      throw new FirmwareError(`the file has ${total} bytes, and ${order.size} were ordered`)
    const file = await open(part, start === 0 ? 'w' : 'a')
    try {
      let size = start
      for await (const chunk of response.body ?? []) {
        clearTimeout(timer)
        timer = setTimeout(() => stalled.abort(new Error('no bytes arrived')), STALL_MS)
        await file.write(chunk)
        size += chunk.length
        if (total > 0) onProgress(Math.floor((size / total) * 100))
      }
      if (size < total) throw new Error(`it was interrupted after ${size} of ${total} bytes`)
      await file.sync()
    } finally {
      await file.close()
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Errors of the server may be temporary; an expired link is not. */
const refused = (status: number) =>
  status >= 500 || status === 429 || status === 408
    ? new Error(`the server answered ${status}`)
    : new FirmwareError(`the file is not available: the server answered ${status}`)

/** Deletes a wrong file, so that the next order of it starts from the beginning. */
async function requireWhole({ size, sha256 }: FirmwareOrder, part: string): Promise<void> {
  const bytes = await fileSize(part)
  const hash = createHash('sha256')
  if (bytes > 0) for await (const chunk of createReadStream(part)) hash.update(chunk as Buffer)
  const sum = hash.digest('hex')
  if (sum === sha256 && (size === undefined || size === bytes)) return
  await rm(part, { force: true })
  throw new FirmwareError(`the file differs from the order: ${bytes} bytes with the sum ${sum}`)
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch {
    return 0
  }
}
