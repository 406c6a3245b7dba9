/** The server was asked to stop before it was up. */
export class StoppedError extends Error {
  override name = 'StoppedError'
}

/** Waits for the work, but not longer than until the server is asked to stop. @throws StoppedError */
export async function unlessStopped<T>(work: Promise<T>, abort: AbortSignal | undefined): Promise<T> {
  if (!abort) return work
  let onAbort = () => {}
  const stopped = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(abort.reason as StoppedError)
    if (abort.aborted) onAbort()
    abort.addEventListener('abort', onAbort)
  })
  try {
    return await Promise.race([work, stopped])
  } finally {
    abort.removeEventListener('abort', onAbort)
    // Its late failure is of no interest.
    work.catch(() => {})
  }
}
