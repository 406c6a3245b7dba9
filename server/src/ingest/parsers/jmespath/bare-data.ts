/**
 * The library reads fields without asking whose they are, and would find `constructor` in every object. It gets objects
 * that inherit one thing only: `hasOwnProperty`, which it calls.
 */
const prototype = Object.create(null, {
  hasOwnProperty: { value: Object.prototype.hasOwnProperty, writable: true },
}) as object

/** @param value JSON that is not too deep */
export function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare)
  if (typeof value !== 'object' || value === null) return value
  const object = Object.create(prototype) as Record<string, unknown>
  for (const key of Object.keys(value)) object[key] = bare((value as Record<string, unknown>)[key])
  return object
}

/** Back again. What is no JSON, such as a function that an object of the library's own inherits, is nothing: null. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null) {
    const object: Record<string, unknown> = {}
    for (const key of Object.keys(value)) setOwn(object, key, plain((value as Record<string, unknown>)[key]))
    return object
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? value : null
}

/** Of the names that a payload may have, one alone is more than a field to an ordinary object. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}
