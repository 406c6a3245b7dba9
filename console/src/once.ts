/** Makes a value when it is first read: a formatter of `Intl` takes up to a millisecond. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}
