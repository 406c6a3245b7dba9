import type { Clock } from '../clock.ts'
import type { Credentials } from '../credentials.ts'
import { DeviceError } from '../device-error.ts'
import type { DeviceEvents } from '../device-events.ts'
import type { Events } from '../events.ts'
import type { Candidate, Identity } from './identity.ts'
import { keepRenewed } from './keep-renewed.ts'
import { expiresAtMs } from './renewal-time.ts'

export interface RenewedCredentials {
  credentials: Credentials
  /** Resolves after `signal` aborted, when the store is no longer written. */
  stopped: Promise<void>
}

interface State {
  readonly identity: Identity
  readonly events: Events<DeviceEvents>
  /** Index into the candidates of the next attempt. */
  turn: number
  offered: Candidate | undefined
  /** The broker refuses the certificate in use, which is then renewed before its time. */
  isRefused: boolean
  /** The broker refused the renewed certificate, and has not refused the one in use since. */
  isNextRefused: boolean
  wake: AbortController
  /** Ends the open session. */
  replace: (() => void) | undefined
  /** A certificate was issued when no session was open, and has not been tried yet. */
  isUntried: boolean
  storing: Promise<void>
}

/** Renews the identity in the background. Its credentials try a renewed certificate first, and the one in use after it. */
export function startRenewal(
  { identity, clock, events }: { identity: Identity; clock: Clock; events: Events<DeviceEvents> },
  signal: AbortSignal,
): RenewedCredentials {
  const state: State = {
    identity,
    events,
    turn: 0,
    offered: undefined,
    isRefused: false,
    isNextRefused: false,
    wake: new AbortController(),
    replace: undefined,
    isUntried: false,
    storing: Promise.resolve(),
  }
  const running = keepRenewed(
    {
      identity,
      clock,
      isRefused: () => state.isRefused,
      woken: () => state.wake.signal,
      onIssued: () => replaceSession(state),
      onFailed: (failure) => events.emit('renewal_failed', failure),
    },
    signal,
  )
  return { credentials: createCredentials(state), stopped: running.then(() => state.storing) }
}

const createCredentials = (state: State): Credentials => ({
  current() {
    const candidates = state.identity.candidates()
    state.offered = candidates[state.turn] ?? candidates[0]
    if (!state.offered) return { name: 'certificate' }
    if (state.offered.isNext) state.isUntried = false
    const { cert, key } = state.offered
    return { name: 'certificate', tls: { cert, key } }
  },
  accepted() {
    state.turn = 0
    state.isRefused = false
    scheduleOutcome(state)
  },
  failed(reason) {
    const isRefused = reason.code === 'credentials_refused'
    if (isRefused) recordRefusal(state)
    // The certificate in use is tried too, whatever kept the renewed one from connecting.
    state.turn = (state.turn + 1) % Math.max(1, state.identity.candidates().length)
    return isRefused && state.turn !== 0
  },
  onReplaced(listener) {
    state.replace = listener
    // The certificate was issued while this session was opened with the old one.
    if (state.isUntried && !state.offered?.isNext) replaceSession(state)
    return () => {
      if (state.replace === listener) state.replace = undefined
    }
  },
})

/** Opens a session with the renewed certificate in place of the open one, or of the next one. */
function replaceSession(state: State): void {
  state.isUntried = !state.replace
  if (!state.replace) return
  // The session has the renewed certificate already, and the store could not be written.
  if (state.offered?.isNext) scheduleOutcome(state)
  else state.replace()
}

function recordRefusal(state: State): void {
  if (state.offered?.isNext) {
    state.isNextRefused = true
    return
  }
  state.isRefused = true
  // A broker that refuses both says nothing about the renewed one.
  state.isNextRefused = false
  state.wake.abort()
  state.wake = new AbortController()
}

function scheduleOutcome(state: State): void {
  const { offered } = state
  state.storing = state.storing.then(() => storeOutcome(state, offered))
}

async function storeOutcome(state: State, accepted: Candidate | undefined): Promise<void> {
  const { identity, events } = state
  // Another session may have stored the outcome already.
  if (!identity.candidates()[0]?.isNext) return
  try {
    if (accepted?.isNext) {
      await identity.exchange()
      const { certificate } = accepted
      events.emit('renewed', {
        serialNumber: certificate.serialNumber,
        expiresAt: new Date(expiresAtMs(certificate)),
      })
    } else if (state.isNextRefused) await identity.discardNext()
    state.isNextRefused = false
  } catch (cause) {
    const message = `the store of the certificate failed: ${(cause as Error).message}`
    events.emit('error', new DeviceError('store_failed', message, { cause }))
  }
}
