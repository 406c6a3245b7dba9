import { isDeviceId } from './groups/template.ts'

export interface DeviceLine {
  /** Line number in the given text, from 1. */
  line: number
  deviceId: string
}

export interface ReadDevices {
  /** Each id once, in the order of the text. */
  devices: DeviceLine[]
  /** Number of lines whose id is a duplicate of an earlier line. */
  repeated: number
  /** Lines without a valid id, each with its text. */
  wrong: DeviceLine[]
}

/**
 * Reads device ids from several formats: one id a line, CSV with a column `device_id` or with the ids in its first
 * column, a JSON array of ids or objects, or one JSON object a line.
 */
export function readDeviceIds(text: string): ReadDevices {
  const trimmed = text.replace(/^\uFEFF/, '')
  const lines = readJsonArray(trimmed) ?? readLines(trimmed)
  const seen = new Set<string>()
  const result: ReadDevices = { devices: [], repeated: 0, wrong: [] }
  for (const entry of lines) {
    if (!isDeviceId(entry.deviceId)) result.wrong.push(entry)
    else if (seen.has(entry.deviceId)) result.repeated++
    else {
      seen.add(entry.deviceId)
      result.devices.push(entry)
    }
  }
  return result
}

function readJsonArray(text: string): DeviceLine[] | null {
  if (!text.trimStart().startsWith('[')) return null
  try {
    const entries: unknown = JSON.parse(text)
    if (!Array.isArray(entries)) return null
    return entries.map((entry: unknown, index) => ({ line: index + 1, deviceId: readEntry(entry) }))
  } catch {
    return null
  }
}

function readEntry(entry: unknown): string {
  if (typeof entry === 'string') return entry
  const { device_id: id } = (entry ?? {}) as { device_id?: unknown }
  return typeof id === 'string' ? id : JSON.stringify(entry)
}

function readLines(text: string): DeviceLine[] {
  const lines = text.split(/\r\n|\n|\r/)
  const header = splitCells(lines.find((line) => line.trim() !== '') ?? '').map((cell) => cell.toLowerCase())
  const named = header.findIndex((cell) => ['device_id', 'deviceid', 'device id'].includes(cell))
  const column = Math.max(0, named)
  let isHeader = named !== -1
  const found: DeviceLine[] = []
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    if (isHeader) isHeader = false
    else found.push({ line: index + 1, deviceId: readLine(line, column) })
  }
  return found
}

function readLine(line: string, column: number): string {
  if (line.trimStart().startsWith('{'))
    try {
      return readEntry(JSON.parse(line))
    } catch {
      return line.trim()
    }
  return splitCells(line)[column] ?? ''
}

/** A simple split is enough, because valid ids contain no separators or quotes. */
const splitCells = (line: string) =>
  line.split(/[,;\t]/).map((cell) =>
    cell
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .trim(),
  )
