/** Makes a function that has an effect only at its first call. */
export function runOnce(run: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) run()
    isDone = true
  }
}
