import { DeviceError } from './device-error.ts'
import type { JsonObject } from './json.ts'
import { parseJsonObject } from './json.ts'

/** The full desired state. `$version` grows with each change; a broker other than the platform's may leave it out. */
export type DesiredProperties = JsonObject & { $version?: number }

export type DesiredHandler = (desired: DesiredProperties) => void | Promise<void>

export interface Desired {
  receive(payload: Buffer): void
  /** Throws if a handler is set already. Returns the function that removes it. */
  setHandler(handler: DesiredHandler): () => void
}

/**
 * Passes each state to the handler once: duplicates and older states are dropped by `$version`, also across reconnects.
 * The handler runs for one state at a time; of the states that arrive meanwhile only the newest is passed on, since each
 * state is complete.
 */
export function createDesired(onError: (error: DeviceError) => void): Desired {
  const state: State = {
    onError,
    lastVersion: -Infinity,
    latest: undefined,
    pending: undefined,
    handler: undefined,
    isRunning: false,
  }
  return {
    receive: (payload) => receive(state, payload),
    setHandler(added) {
      if (state.handler) throw new Error('there is a handler of desired properties already')
      state.handler = added
      // The state usually arrives with the connection, which may be before the handler is set.
      state.pending = state.latest
      void callHandler(state)
      return () => {
        if (state.handler === added) state.handler = undefined
      }
    },
  }
}

interface State {
  readonly onError: (error: DeviceError) => void
  lastVersion: number
  latest: DesiredProperties | undefined
  /** The newest state that the handler has not received. */
  pending: DesiredProperties | undefined
  handler: DesiredHandler | undefined
  isRunning: boolean
}

function receive(state: State, payload: Buffer): void {
  const desired = parseJsonObject(payload.toString('utf8'))
  if (!desired)
    return state.onError(new DeviceError('invalid_desired', 'desired properties are not a JSON object'))
  const version = desired.$version
  if (typeof version === 'number') {
    if (version <= state.lastVersion) return
    state.lastVersion = version
  }
  state.latest = desired as DesiredProperties
  state.pending = state.latest
  void callHandler(state)
}

async function callHandler(state: State): Promise<void> {
  if (state.isRunning) return
  state.isRunning = true
  for (let call = takeCall(state); call; call = takeCall(state)) {
    try {
      await call.handler(call.desired)
    } catch (error) {
      const message = 'the handler of desired properties failed'
      state.onError(new DeviceError('handler_failed', message, { cause: error }))
    }
  }
  state.isRunning = false
}

function takeCall(state: State) {
  const { handler, pending: desired } = state
  if (!handler || !desired) return undefined
  state.pending = undefined
  return { handler, desired }
}
