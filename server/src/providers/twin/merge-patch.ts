/** Applies a change of properties: objects are merged, null removes a key, other values replace (RFC 7386). */

export type Properties = Record<string, unknown>

/** @returns a new object; neither argument is changed */
export function mergePatch(target: Properties, patch: Properties): Properties {
  const merged = new Map(Object.entries(target))
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) merged.delete(key)
    else merged.set(key, isProperties(change) ? mergePatch(asObject(merged.get(key)), change) : change)
  }
  // fromEntries defines own properties, so a key named __proto__ is an ordinary key.
  return Object.fromEntries(merged)
}

export const isProperties = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Ignores inherited names such as `constructor`. */
export const ownValue = (properties: Properties, name: string): unknown =>
  Object.hasOwn(properties, name) ? properties[name] : undefined

const asObject = (value: unknown): Properties => (isProperties(value) ? value : {})
