/**
 * The library also reads inherited fields, and would find `constructor` in every object. It therefore gets objects that
 * inherit only `hasOwnProperty`, which it calls.
 */
const prototype = Object.create(null, {
  hasOwnProperty: { value: Object.prototype.hasOwnProperty, writable: true },
}) as object

/** @param value JSON within the depth limit */
export function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare)
  if (typeof value !== 'object' || value === null) return value
  const object = Object.create(prototype) as Record<string, unknown>
  for (const key of Object.keys(value)) object[key] = bare((value as Record<string, unknown>)[key])
  return object
}

/**
 * Converts the result back to ordinary objects. Results that are not JSON, such as an inherited function of one of the
 * library's own objects, become null.
 */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null) {
    const object: Record<string, unknown> = {}
    for (const key of Object.keys(value)) setOwn(object, key, plain((value as Record<string, unknown>)[key]))
    return object
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? value : null
}

/** `__proto__` is the only name of a payload that is special when assigned. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
