/** Direct methods on their way: each waits for the response with its correlation id, or for its time to run out. */

export interface MethodResponse {
  status: number
  payload: unknown
}

export interface PendingMethods {
  /** @returns the device's response, or nothing when `timeoutSeconds` passed without one */
  wait(deviceId: string, correlationId: string, timeoutSeconds: number): Promise<MethodResponse | undefined>
  isWaiting(deviceId: string, correlationId: string): boolean
  /** @returns false when nobody waits for it: late, repeated, or never asked */
  settle(deviceId: string, correlationId: string, response: MethodResponse): boolean
  /** Ends a wait whose question was never sent; it answers nothing. */
  cancel(deviceId: string, correlationId: string): void
}

export function createPendingMethods(): PendingMethods {
  const waiting = new Map<string, (response: MethodResponse | undefined) => void>()
  // A device answers only for itself: its id is part of the key.
  const keyOf = (deviceId: string, correlationId: string) => `${deviceId}/${correlationId}`
  return {
    wait: (deviceId, correlationId, timeoutSeconds) =>
      new Promise((resolve) => {
        const key = keyOf(deviceId, correlationId)
        const finish = (response: MethodResponse | undefined) => {
          clearTimeout(timer)
          waiting.delete(key)
          resolve(response)
        }
        const timer = setTimeout(finish, timeoutSeconds * 1000, undefined)
        // A request that waits holds its socket; a command that waits is not to hold up the stop of the process.
        timer.unref()
        waiting.set(key, finish)
      }),
    isWaiting: (deviceId, correlationId) => waiting.has(keyOf(deviceId, correlationId)),
    settle(deviceId, correlationId, response) {
      const finish = waiting.get(keyOf(deviceId, correlationId))
      finish?.(response)
      return finish !== undefined
    },
    cancel: (deviceId, correlationId) => waiting.get(keyOf(deviceId, correlationId))?.(undefined),
  }
}
