import { ConnectionError, type Gangway } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useExplanation } from '../../../parts/Refusal.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { DeviceLine } from '../read-device-ids.ts'
import type { Group } from '../use-groups.ts'
import { provisionDevice } from './device.ts'
import type { NamedFailure } from './FailureList.tsx'
import { runEach } from './run-each.ts'

export interface ImportState {
  phase: 'idle' | 'registering' | 'provisioning' | 'stopped' | 'broken' | 'done'
  /** Number of devices that were sent for registration. */
  sent: number
  added: number
  skipped: number
  made: number
  madeBefore: number
  failures: NamedFailure[]
  /** The error that ended the import. */
  error: unknown
}

const idle: ImportState = {
  phase: 'idle',
  sent: 0,
  added: 0,
  skipped: 0,
  made: 0,
  madeBefore: 0,
  failures: [],
  error: null,
}

/** Few enough to show progress and stop between two requests, many enough to be fast. */
const DEVICES_A_REQUEST = 500
const REQUEST_MS = 120_000
const AT_ONCE = 6

/** Registers many devices in batches and provisions them. It can be repeated without harm. */
export function useImport(group: Group) {
  const api = useApi()
  const cache = useQueryClient()
  const explain = useExplanation()
  const control = useRef<AbortController | null>(null)
  /** Ids that are complete already, to continue after a failure. */
  const provisioned = useRef(new Set<string>())
  const [state, setState] = useState<ImportState>(idle)
  const latest = useRef(state)
  const change = (changes: Partial<ImportState>) => {
    latest.current = { ...latest.current, ...changes }
    setState(latest.current)
  }

  const register = async (devices: DeviceLine[], signal: AbortSignal) => {
    while (latest.current.sent < devices.length && !signal.aborted) {
      const some = devices.slice(latest.current.sent, latest.current.sent + DEVICES_A_REQUEST)
      const { added, skipped, errors } = await sendSome(api, group.id, some)
      const refused = errors.map(({ line, message }) => ({ ...some[line - 1]!, reason: message }))
      change({
        sent: latest.current.sent + some.length,
        added: latest.current.added + added,
        skipped: latest.current.skipped + skipped,
        failures: [...latest.current.failures, ...refused],
      })
    }
  }

  const provision = async (devices: DeviceLine[], signal: AbortSignal) => {
    change({ phase: 'provisioning' })
    const lines = new Map(devices.map(({ deviceId, line }) => [deviceId, line]))
    const failed = new Set(latest.current.failures.map(({ deviceId }) => deviceId))
    const wanted = devices
      .map(({ deviceId }) => deviceId)
      .filter((id) => !failed.has(id) && !provisioned.current.has(id))
    const run = async (deviceId: string) => {
      const { enrollment_created: isNew } = await provisionDevice(api, group.id, deviceId)
      const name = isNew ? 'made' : 'madeBefore'
      change({ [name]: latest.current[name] + 1 })
    }
    let broken: unknown = null
    await runEach(wanted, run, {
      atOnce: AT_ONCE,
      signal,
      onDone: (deviceId) => provisioned.current.add(deviceId),
      onFailure: ({ deviceId, error }) => {
        if (error instanceof ConnectionError) {
          broken = error
          control.current?.abort()
          return
        }
        const failure = { deviceId, line: lines.get(deviceId)!, reason: explain(error).reason }
        change({ failures: [...latest.current.failures, failure] })
      },
    })
    if (broken !== null) throw broken
  }

  const start = async (devices: DeviceLine[], isProvisioned: boolean) => {
    const { signal } = (control.current = new AbortController())
    change({ phase: 'registering', error: null })
    try {
      await register(devices, signal)
      if (isProvisioned && !signal.aborted) await provision(devices, signal)
      change({ phase: signal.aborted ? 'stopped' : 'done' })
    } catch (error) {
      change({ phase: 'broken', error })
    }
    void cache.invalidateQueries({ queryKey: ['onboarding-devices'] })
    void cache.invalidateQueries({ queryKey: ['readiness', group.id] })
  }

  const reset = () => {
    provisioned.current = new Set()
    change(idle)
  }
  return { state, start, stop: () => control.current?.abort(), reset }
}

const sendSome = (api: Gangway, groupId: string, devices: DeviceLine[]) =>
  api.post('/api/enrollment-groups/{id}/devices/bulk', {
    path: { id: groupId },
    body: devices.map(({ deviceId }) => `${JSON.stringify({ device_id: deviceId })}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
    signal: withTimeout(undefined, REQUEST_MS),
  })
