/** Direct methods that wait for the response with their correlation id, or for their timeout. */

export interface MethodResponse {
  status: number
  payload: unknown
}

export interface PendingMethods {
  /** @returns the device's response, or undefined after `timeoutSeconds` */
  wait(deviceId: string, correlationId: string, timeoutSeconds: number): Promise<MethodResponse | undefined>
  isWaiting(deviceId: string, correlationId: string): boolean
  /** @returns false when no method waits for the response: it is late, repeated or unsolicited */
  settle(deviceId: string, correlationId: string, response: MethodResponse): boolean
  /** Ends the wait for a request that was not sent; `wait` then resolves with undefined. */
  cancel(deviceId: string, correlationId: string): void
}

export function createPendingMethods(): PendingMethods {
  const waiting = new Map<string, (response: MethodResponse | undefined) => void>()
  // The device id is part of the key, so that a device can answer only its own methods.
  const makeKey = (deviceId: string, correlationId: string) => `${deviceId}/${correlationId}`
  return {
    wait: (deviceId, correlationId, timeoutSeconds) =>
      new Promise((resolve) => {
        const key = makeKey(deviceId, correlationId)
        const finish = (response: MethodResponse | undefined) => {
          clearTimeout(timer)
          waiting.delete(key)
          resolve(response)
        }
        const timer = setTimeout(finish, timeoutSeconds * 1000, undefined)
        // A waiting request keeps its socket open anyway; a waiting command must not delay the stop of the process.
        timer.unref()
        waiting.set(key, finish)
      }),
    isWaiting: (deviceId, correlationId) => waiting.has(makeKey(deviceId, correlationId)),
    settle(deviceId, correlationId, response) {
      const finish = waiting.get(makeKey(deviceId, correlationId))
      finish?.(response)
      return finish !== undefined
    },
    cancel: (deviceId, correlationId) => waiting.get(makeKey(deviceId, correlationId))?.(undefined),
  }
}
