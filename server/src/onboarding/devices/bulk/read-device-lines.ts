/**
 * Reads the whole body of a bulk add before anything is done with it, so that a request that is too long, or breaks off,
 * adds nothing. Device ids are kept, not the lines. [docs/onboarding#bulk-add]
 */
import type { Readable } from 'node:stream'
import { ApiError, type ErrorCode, validationError } from '../../../http/errors.ts'
import { isDeviceId } from '../../../http/page.ts'
import { unstorableIssue } from '../../../http/validate.ts'
import { createTurns, takeTurns } from '../../../lib/take-turns.ts'
import { createLineSplitter } from './split-lines.ts'

const MAX_DEVICES = 10_000
export const MAX_LINE_BYTES = 4096
export const MAX_BODY_BYTES = MAX_DEVICES * (MAX_LINE_BYTES + 1)
const DISCARD_MS = 5000
/** Some hundred lines, each of which may cost as much as a refusal. */
const PART_BYTES = 8 * 1024

/** Shared by all requests: many at once hold the event loop for no longer than one. */
const nextTurn = createTurns()

export interface LineError {
  line: number
  device_id: string | null
  error: ErrorCode
  message: string
}

export interface DeviceLines {
  /** Device id → the line where it stands first. */
  devices: Map<string, number>
  /** Lines whose device stands on an earlier line already. */
  repeated: number
  errors: LineError[]
}

/** @throws payload_too_large, validation_error when the body breaks off */
export async function readDeviceLines(body: Readable): Promise<DeviceLines> {
  const { lines, onLine } = collector()
  const splitter = createLineSplitter(MAX_LINE_BYTES, onLine)
  const turn = takeTurns(nextTurn)
  let size = 0
  try {
    // Leaving the loop must not destroy the stream: it is the connection on which the refusal goes out.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BODY_BYTES)
        throw new ApiError(
          'payload_too_large',
          `The body is larger than ${MAX_BODY_BYTES} bytes. Send it in parts.`,
        )
      for (let from = 0; from < chunk.length; from += PART_BYTES) {
        await turn()
        splitter.push(chunk.subarray(from, from + PART_BYTES))
      }
    }
    splitter.end()
    return lines
  } catch (error) {
    discardRest(body)
    throw error instanceof ApiError ? error : brokeOff()
  }
}

const brokeOff = () =>
  validationError({ path: 'body', message: 'broke off before its end; nothing was added' })

/** A client that is still sending reads no answer: the rest is taken off it for a while, then the connection ends. */
function discardRest(body: Readable) {
  body.resume()
  setTimeout(() => body.destroy(), DISCARD_MS).unref()
}

function collector() {
  const lines: DeviceLines = { devices: new Map(), repeated: 0, errors: [] }
  let line = 0
  let count = 0

  const onLine = (bytes: Buffer | 'too long') => {
    line++
    if (bytes !== 'too long' && isBlank(bytes)) return
    if (++count > MAX_DEVICES)
      throw new ApiError(
        'payload_too_large',
        `At most ${MAX_DEVICES} devices a request. Send the rest in another one.`,
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
  const record = jsonOf(bytes)
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    return { deviceId: null, problem: 'The line is no JSON object in UTF-8.' }
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

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    return undefined
  }
}

/** Spaces, tabs and the carriage return of a CRLF. */
const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
