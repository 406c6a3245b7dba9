import { type Format, useFormat } from '../../format.ts'
import type { PageLink } from '../../links.ts'
import type { StateKind } from '../../parts/StateMark.tsx'
import type { Catalogue } from '../../words/catalogue.ts'
import { useWords } from '../../words/words.tsx'
import type { Overview } from './Home.tsx'

/** One thing that may need attention. */
export interface Concern {
  id: string
  name: string
  /** `off` if the user may not see the concern. */
  state: StateKind
  /** Formatted count; it is shown as the link if there is one. */
  count: string
  text: string
  detail?: string
  link?: PageLink
}

/** The storage is a concern if it will be full in fewer days than this. */
const DAYS_LEFT = { bad: 7, warning: 30 }

export function useConcerns(overview: Overview): Concern[] {
  const words = useWords('home')
  const format = useFormat()
  return listConcerns(overview, words, format)
}

export function listConcerns(
  overview: Overview,
  words: Catalogue['home'],
  format: Pick<Format, 'number' | 'full'>,
): Concern[] {
  const n = (count: number) => format.number(count)
  const { alarms, devices, deadLetters, onboarding, rollouts, storage } = overview
  const hidden = (id: string, name: string): Concern => ({ id, name, state: 'off', count: '', text: '' })
  const list: Concern[] = []

  if (alarms === null) list.push(hidden('alarms', words.alarms))
  else
    list.push({
      id: 'alarms',
      name: words.alarms,
      state: alarms.open === 0 ? 'good' : alarms.unacknowledged > 0 ? 'bad' : 'warning',
      count: n(alarms.open),
      text: words.openAlarms(alarms.open),
      ...(alarms.open > 0 && { detail: words.unacknowledged(n(alarms.unacknowledged)) }),
      link: { to: '/alarms' },
    })

  if (devices === null) list.push(hidden('devices', words.silent))
  else {
    list.push({
      id: 'devices',
      name: words.silent,
      state: devices.silent === 0 ? 'good' : 'warning',
      count: n(devices.silent),
      text: words.silentDevices(devices.silent),
      detail: words.silentSince(format.full(devices.silentSince)),
      link: { to: '/devices', search: { silent: devices.silentSince } },
    })
  }

  if (onboarding === null) list.push(hidden('onboarding', words.onboarding))
  else {
    const count = onboarding.refused + onboarding.failed
    list.push({
      id: 'onboarding',
      name: words.onboarding,
      state: count === 0 ? 'good' : onboarding.failed > 0 ? 'bad' : 'warning',
      count: n(count),
      text: words.failedAttempts(count),
      ...(count > 0 && {
        detail: words.attempts(n(onboarding.refused), n(onboarding.failed), format.full(onboarding.since)),
      }),
      link: { to: '/onboarding/trace', search: { outcome: 'unsuccessful', since: onboarding.since } },
    })
  }

  if (deadLetters === null) list.push(hidden('dead-letters', words.deadLetters))
  else
    list.push({
      id: 'dead-letters',
      name: words.deadLetters,
      state: deadLetters.messages === 0 ? 'good' : 'warning',
      count: n(deadLetters.messages),
      text: words.unreadMessages(deadLetters.messages),
      ...(deadLetters.messages > 0 && {
        detail: words.fromDevices(deadLetters.devices, n(deadLetters.devices)),
      }),
      link: { to: '/devices', search: { deadLetters: deadLetters.since } },
    })

  if (rollouts === null) list.push(hidden('rollouts', words.rollouts))
  else
    list.push({
      id: 'rollouts',
      name: words.rollouts,
      state: rollouts.withFailures > 0 ? 'bad' : 'good',
      count: n(rollouts.withFailures > 0 ? rollouts.withFailures : rollouts.running),
      text:
        rollouts.withFailures > 0
          ? words.failingRollouts(rollouts.withFailures)
          : words.runningRollouts(rollouts.running),
      link: {
        to: '/firmware',
        search: { ended: 'no', ...(rollouts.withFailures > 0 && { failing: 'yes' }) },
      },
    })

  const daysLeft = storage?.daysLeft ?? null
  if (daysLeft !== null)
    list.push({
      id: 'storage',
      name: words.storage,
      state: daysLeft < DAYS_LEFT.bad ? 'bad' : daysLeft < DAYS_LEFT.warning ? 'warning' : 'good',
      count: format.number(daysLeft, { maximumFractionDigits: 0 }),
      text: words.daysLeft(daysLeft),
      link: { to: '/settings' },
    })
  return list
}
