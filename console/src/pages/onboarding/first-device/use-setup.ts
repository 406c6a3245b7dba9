import { useEffect, useState } from 'react'
import { useDrafts } from '../../../session/use-drafts.ts'
import { findOwnProvider, isLoopback, type Known, readPort, type Setup } from './setup.ts'

const DRAFT = 'first-device'

/** The choices of the first two steps. What was typed stays as a draft until the device is prepared. */
export function useSetup(known: Known, groupName: string) {
  const drafts = useDrafts()
  const [suggested, setSuggested] = useState(() => suggestSetup(known, groupName))
  const [restored] = useState(() => readDraft(drafts.read<Setup>(DRAFT), known))
  const [setup, setSetup] = useState<Setup>({ ...suggested, ...restored })
  const isChanged = JSON.stringify(setup) !== JSON.stringify(suggested)
  useEffect(() => drafts.write(DRAFT, isChanged ? setup : null), [drafts, isChanged, setup])
  const start = (next: Setup) => {
    setSuggested(next)
    setSetup(next)
  }
  return {
    setup,
    setSetup,
    isChanged,
    isRestored: restored !== null,
    discard: () => setSetup(suggested),
    /** Called when the device is prepared: the choices are no draft any more. */
    settle: () => setSuggested(setup),
    /** Suggests another device of the same kind. */
    suggestNext: (deviceId: string) =>
      start({ ...suggestSetup(known, groupName), deviceId: nextId(deviceId) }),
  }
}

/** A draft whose target or group was deleted meanwhile is of no use. */
function readDraft(draft: Partial<Setup> | null, { targets, groups }: Known): Partial<Setup> | null {
  const isThere = (id: string | undefined, list: { id: string }[]) => !id || list.some((one) => one.id === id)
  return isThere(draft?.targetId, targets) && isThere(draft?.groupId, groups) ? draft : null
}

/** Suggests existing objects; for new ones it suggests the address at which this page reaches the server. */
function suggestSetup({ targets, groups, endpoints }: Known, groupName: string): Setup {
  const own = targets.find((target) => findOwnProvider(target, endpoints.http) === 'mqtt')
  const group = groups.find(
    ({ routing_target_id, status }) => routing_target_id === own?.id && status === 'enabled',
  )
  const isLocal = isLoopback(location.hostname)
  return {
    targetId: own?.id ?? '',
    host: location.hostname,
    port: readPort(isLocal ? endpoints.mqtt : endpoints.mqtts),
    isTls: !isLocal,
    groupId: group?.id ?? '',
    groupName,
    deviceId: 'device-0001',
  }
}

const nextId = (deviceId: string) =>
  deviceId.replace(/\d+$/, (digits) => String(Number(digits) + 1).padStart(digits.length, '0'))
