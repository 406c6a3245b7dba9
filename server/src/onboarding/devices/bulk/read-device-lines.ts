/**
 * Reads the whole body of a bulk add before any device is added, so that a request that is too large or incomplete adds
 * nothing. Only device ids are kept in memory, not the lines. [docs/onboarding#bulk-add]
 */
import type { Readable } from 'node:stream'
import { ApiError, type ErrorCode, validationError } from '../../../http/errors.ts'
import { isDeviceId } from '../../../http/page.ts'
import { unstorableIssue } from '../../../http/validate.ts'
import { createTurns, takeTurns } from '../../../lib/take-turns.ts'
import { createLineSplitter } from './split-lines.ts'

export const MAX_DEVICES = 10_000
export const MAX_LINE_BYTES = 4096
export const MAX_BODY_BYTES = MAX_DEVICES * (MAX_LINE_BYTES + 1)
const DISCARD_TIMEOUT_MS = 5000
/** A few hundred lines: each of them may be invalid and need an error. */
const MAX_BYTES_PER_TURN = 8 * 1024

/** Shared by all requests, so that several at once block the event loop no longer than one. */
const nextTurn = createTurns()

export interface LineError {
  line: number
  device_id: string | null
  error: ErrorCode
  message: string
}

export interface DeviceLines {
  /** Device id → the line of its first occurrence. */
  devices: Map<string, number>
  /** Number of lines whose device is on an earlier line already. */
  repeated: number
  errors: LineError[]
}

/** @throws payload_too_large; validation_error when the body is incomplete */
export async function readDeviceLines(body: Readable): Promise<DeviceLines> {
  const { lines, onLine } = createCollector()
  const splitter = createLineSplitter(MAX_LINE_BYTES, onLine)
  const turn = takeTurns(nextTurn)
  let size = 0
  try {
    // Leaving the loop must not destroy the stream: the error is sent on the same connection.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BODY_BYTES)
        throw new ApiError(
          'payload_too_large',
          `The body is larger than ${MAX_BODY_BYTES} bytes. Split it into several requests.`,
        )
      for (let from = 0; from < chunk.length; from += MAX_BYTES_PER_TURN) {
        await turn()
        splitter.push(chunk.subarray(from, from + MAX_BYTES_PER_TURN))
      }
    }
    splitter.end()
    return lines
  } catch (error) {
    discardRest(body)
    throw error instanceof ApiError ? error : incompleteBody()
  }
}

const incompleteBody = () => validationError({ path: 'body', message: 'ended early; nothing was added' })

/** A sender reads the answer only after it has sent everything, so the rest is read for a while before closing. */
function discardRest(body: Readable) {
  body.resume()
  setTimeout(() => body.destroy(), DISCARD_TIMEOUT_MS).unref()
}

function createCollector() {
  const lines: DeviceLines = { devices: new Map(), repeated: 0, errors: [] }
  let line = 0
  let count = 0

  const onLine = (bytes: Buffer | 'too long') => {
    line++
    if (bytes !== 'too long' && isBlank(bytes)) return
    if (++count > MAX_DEVICES)
      throw new ApiError(
        'payload_too_large',
        `A request can hold at most ${MAX_DEVICES} devices. Send the rest in another request.`,
      )
    const read = readLine(bytes)
    if ('problem' in read)
      lines.errors.push({ line, device_id: read.deviceId, error: 'validation_error', message: read.problem })
    else if (lines.devices.has(read.deviceId)) lines.repeated++
    else lines.devices.set(read.deviceId, line)
  }
  return { lines, onLine }
}

type Line = { deviceId: string } | { deviceId: string | null; problem: string }

function readLine(bytes: Buffer | 'too long'): Line {
  if (bytes === 'too long')
    return { deviceId: null, problem: `The line is longer than ${MAX_LINE_BYTES} bytes.` }
  const record = parseJson(bytes)
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { deviceId: null, problem: 'The line is not a JSON object in UTF-8.' }
  const { device_id: deviceId } = record as { device_id?: unknown }
  if (typeof deviceId !== 'string') return { deviceId: null, problem: 'device_id must be a string.' }
  if (!isDeviceId(deviceId))
    return {
      deviceId: deviceId.slice(0, 128),
      problem: 'device_id has 1 to 128 letters, digits, `.`, `_`, `-`, and is not `.` or `..`.',
    }
  const issue = unstorableIssue(record, 'The line')
  return issue ? { deviceId, problem: `${issue.path} ${issue.message}.` } : { deviceId }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

/** Ignores spaces, tabs and the carriage return of a CRLF. */
const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
