/** @param tries the number of tries so far, which determines the pause if the header is missing or invalid */
export function retryAfterMs(
  header: string | string[] | undefined,
  tries: number,
  nowMs = Date.now(),
): number {
  const text = String(header ?? '').trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const dateMs = Date.parse(text)
  return Number.isNaN(dateMs) ? 500 * 2 ** tries : Math.max(0, dateMs - nowMs)
}
