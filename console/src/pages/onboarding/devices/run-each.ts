export interface Failure {
  deviceId: string
  error: unknown
}

interface Options {
  /** Maximum number of concurrent requests. */
  atOnce: number
  /** Stops the run before the next item. */
  signal: AbortSignal
  onDone: (deviceId: string) => void
  onFailure: (failure: Failure) => void
}

/** Runs the same action for many devices; a failure does not stop the others. */
export async function runEach(
  deviceIds: readonly string[],
  run: (deviceId: string) => Promise<unknown>,
  { atOnce, signal, onDone, onFailure }: Options,
): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < deviceIds.length && !signal.aborted) {
      const deviceId = deviceIds[next++]!
      try {
        await run(deviceId)
        onDone(deviceId)
      } catch (error) {
        onFailure({ deviceId, error })
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
