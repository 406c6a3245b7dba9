/** The trace that a message belongs to, as devices send it in a user property of MQTT 5. [W3C Trace Context, 3.2] */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** @returns undefined where there is none, or where it is invalid; then the message belongs to no trace */
export function findTraceparent(userProperties: [name: string, value: string][]): string | undefined {
  const values = userProperties.filter(([name]) => name === 'traceparent')
  const value = values[0]?.[1]
  return values.length === 1 && TRACEPARENT.test(value!) ? value : undefined
}
