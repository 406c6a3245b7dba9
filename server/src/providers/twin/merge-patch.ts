/** How a change of properties is applied: objects merge, null removes a key, everything else replaces (RFC 7386). */

export type Properties = Record<string, unknown>

/** @returns a new object; neither argument is changed */
export function mergePatch(target: Properties, patch: Properties): Properties {
  const merged = new Map(Object.entries(target))
  for (const [key, change] of Object.entries(patch)) {
    if (change === null) merged.delete(key)
    else merged.set(key, isProperties(change) ? mergePatch(asObject(merged.get(key)), change) : change)
  }
  // fromEntries defines properties, so a key named __proto__ is a key like any other.
  return Object.fromEntries(merged)
}

export const isProperties = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A name such as `constructor` is not one of an object's own. */
export const ownValue = (properties: Properties, name: string): unknown =>
  Object.hasOwn(properties, name) ? properties[name] : undefined

const asObject = (value: unknown): Properties => (isProperties(value) ? value : {})
