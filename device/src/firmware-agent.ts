import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import type { DesiredProperties } from './desired.ts'
import type { Device } from './device.ts'
import { downloadFirmware, FirmwareError } from './firmware-download.ts'
import type { FirmwareOrder } from './firmware-order.ts'
import { readFirmwareOrder } from './firmware-order.ts'
import type { JsonObject } from './json.ts'
import { isJsonObject, parseJsonObject } from './json.ts'

export interface FirmwareFile {
  /** Its size and SHA-256 have been checked. */
  path: string
  order: FirmwareOrder
}

export interface FirmwareAgentOptions {
  /** Directory that survives restarts: partial downloads and the outcome of the last order. Created if missing. */
  directory: string
  /** Installs the file; the message of an error is reported as the reason of the failure. */
  install: (file: FirmwareFile) => Promise<void>
  /** The name of a template's step. Default `firmware`. */
  desiredProperty?: string
  /** The template's `statusPropertyName`. Default `firmwareStatus`. */
  statusProperty?: string
  fetch?: typeof fetch
  clock?: Clock
}

/** Reported as `{status, release?, sha256?, percent?, message?}`. `Idle`: there is no order. */
export type FirmwareStatus = 'Downloading' | 'Installing' | 'Succeeded' | 'Failed' | 'Rejected' | 'Idle'

export interface FirmwareAgent extends AsyncDisposable {
  /** Must be called with each desired state: `device.onDesired(agent.onDesired)`, or in your own handler. */
  onDesired: (desired: DesiredProperties) => void
  /** Stops a download, which continues at the next start, and waits for a running installation. */
  close(): Promise<void>
}

interface LastOrder {
  url: string
  sha256: string
  status: JsonObject
}

const RECORD_FILE = 'last-order.json'
const PROGRESS_PERCENT = 10

/**
 * Executes firmware orders of a desired property: downloads, verifies and installs the file, and reports each state by a
 * reported property. An order is identified by its URL and executed once: after a restart only its status is reported
 * again.
 */
export function createFirmwareAgent(
  device: Pick<Device, 'reportProperties'>,
  options: FirmwareAgentOptions,
): FirmwareAgent {
  const { desiredProperty = 'firmware' } = options
  const agent: State = { device, options, current: undefined, working: Promise.resolve() }
  const close = async () => {
    agent.current?.stop.abort(new FirmwareError('the agent was closed'))
    await agent.working
  }
  return {
    onDesired: (desired) =>
      begin(agent, Object.hasOwn(desired, desiredProperty) ? desired[desiredProperty] : undefined),
    close,
    [Symbol.asyncDispose]: close,
  }
}

interface State {
  readonly device: Pick<Device, 'reportProperties'>
  readonly options: FirmwareAgentOptions
  /** The order that is carried out, or was the last one. */
  current: { url: string; stop: AbortController } | undefined
  working: Promise<void>
}

function report(
  { device, options: { statusProperty = 'firmwareStatus' } }: State,
  status: FirmwareStatus,
  fields: JsonObject = {},
): JsonObject {
  // Reported objects are merged, so fields of an earlier status must be removed.
  const value = { release: null, sha256: null, percent: null, message: null, ...fields, status }
  // The report is buffered while the device is offline; its loss is reported by the device's `dropped` event.
  device.reportProperties({ [statusProperty]: value }).catch(() => {})
  return value
}

function begin(agent: State, value: unknown): void {
  const order = value === undefined ? undefined : readFirmwareOrder(value)
  const url = typeof order === 'object' ? order.url : undefined
  const { current } = agent
  if (current && current.url === url) return
  current?.stop.abort(new FirmwareError('another order arrived'))
  agent.current = undefined
  if (order === undefined) {
    if (current) report(agent, 'Idle')
    return
  }
  if (typeof order === 'string') return void report(agent, 'Rejected', { message: order })
  const stop = new AbortController()
  agent.current = { url: order.url, stop }
  agent.working = agent.working.then(() => carryOut(agent, order, stop.signal))
}

async function carryOut(agent: State, order: FirmwareOrder, signal: AbortSignal): Promise<void> {
  const { directory } = agent.options
  const about = { sha256: order.sha256, ...(order.release !== undefined && { release: order.release }) }
  const reportOrder = (status: FirmwareStatus, fields?: JsonObject) =>
    report(agent, status, { ...about, ...fields })
  try {
    await mkdir(directory, { recursive: true })
    const last = await readLast(directory)
    if (last?.url === order.url)
      return void report(agent, last.status.status as FirmwareStatus, withoutNulls(last.status))
    reportOrder('Downloading', { percent: 0 })
    const path = await download(agent.options, order, { signal, reportOrder })
    reportOrder('Installing')
    await agent.options.install({ path, order })
    await keepLast(directory, order, reportOrder('Succeeded'))
  } catch (error) {
    // The order was replaced or stopped: a late report would be taken for a status of the next order.
    if (signal.aborted) return
    const status = reportOrder('Failed', { message: (error as Error).message.slice(0, 500) })
    await keepLast(directory, order, status).catch(() => {})
  }
}

/** @returns the path of the verified file */
async function download(
  { directory, fetch = globalThis.fetch, clock = systemClock }: FirmwareAgentOptions,
  order: FirmwareOrder,
  {
    signal,
    reportOrder,
  }: { signal: AbortSignal; reportOrder: (status: FirmwareStatus, fields: JsonObject) => unknown },
): Promise<string> {
  const path = join(directory, `${order.sha256}.bin`)
  let reportedPercent = 0
  const onProgress = (percent: number) => {
    if (percent < reportedPercent + PROGRESS_PERCENT || percent === 100) return
    reportedPercent = percent
    reportOrder('Downloading', { percent })
  }
  signal.throwIfAborted()
  await downloadFirmware(order, { path, fetch, clock, signal, onProgress })
  signal.throwIfAborted()
  return path
}

const withoutNulls = (status: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(status).filter(([name, value]) => value !== null && name !== 'status'))

async function readLast(directory: string): Promise<LastOrder | undefined> {
  try {
    const record = parseJsonObject(await readFile(join(directory, RECORD_FILE), 'utf8'))
    return isLastOrder(record) ? record : undefined
  } catch {
    return undefined
  }
}

const isLastOrder = (record: JsonObject | null): record is JsonObject & LastOrder =>
  typeof record?.url === 'string' && isJsonObject(record.status)

/** Writes a new file and renames it, so that a power failure leaves the old record or the new one. */
async function keepLast(
  directory: string,
  { url, sha256 }: FirmwareOrder,
  status: JsonObject,
): Promise<void> {
  const path = join(directory, RECORD_FILE)
  await writeFile(`${path}.new`, JSON.stringify({ url, sha256, status } satisfies LastOrder))
  await rename(`${path}.new`, path)
}
