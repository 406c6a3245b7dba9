/** @returns undefined after the time; what comes later is ignored, also an error */
export function waitAtMost<T>(ms: number, answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)))
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
