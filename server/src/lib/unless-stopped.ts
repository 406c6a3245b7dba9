/** The server was asked to stop while it was starting. */
export class StoppedError extends Error {
  override name = 'StoppedError'
}

/** Waits for the work, unless the server is asked to stop. @throws StoppedError */
export async function waitUnlessStopped<T>(work: Promise<T>, abort: AbortSignal | undefined): Promise<T> {
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
    // A failure after the abort is ignored.
    work.catch(() => {})
  }
}
