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
  let lastVersion = -Infinity
  let latest: DesiredProperties | undefined
  let pending: DesiredProperties | undefined
  let handler: DesiredHandler | undefined
  let isRunning = false

  const takeCall = () => {
    if (!handler || !pending) return undefined
    const call = { handler, desired: pending }
    pending = undefined
    return call
  }
  const run = async () => {
    if (isRunning) return
    isRunning = true
    for (let call = takeCall(); call; call = takeCall()) {
      try {
        await call.handler(call.desired)
      } catch (error) {
        onError(
          new DeviceError('handler_failed', 'the handler of desired properties failed', { cause: error }),
        )
      }
    }
    isRunning = false
  }

  return {
    receive(payload) {
      const desired = parseJsonObject(payload.toString('utf8'))
      if (!desired)
        return onError(new DeviceError('invalid_desired', 'desired properties are no JSON object'))
      const version = desired.$version
      if (typeof version === 'number') {
        if (version <= lastVersion) return
        lastVersion = version
      }
      latest = desired as DesiredProperties
      pending = latest
      void run()
    },
    setHandler(added) {
      if (handler) throw new Error('there is a handler of desired properties already')
      handler = added
      // The state usually arrives with the connection, which may be before the handler is set.
      pending = latest
      void run()
      return () => {
        if (handler === added) handler = undefined
      }
    },
  }
}
