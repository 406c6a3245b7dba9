import { isProperties, type Properties } from '../../providers/twin/merge-patch.ts'

/** Computes the patch that changes a property from one value to the other; null removes it. */
export function patchBetween(before: unknown, after: unknown): unknown {
  if (after === undefined) return null
  if (!isProperties(after) || !isProperties(before)) return after
  const earlier = new Map(Object.entries(before))
  const gone = [...earlier.keys()].filter((key) => !Object.hasOwn(after, key)).map((key) => [key, null])
  const kept = Object.entries(after).map(([key, value]) => [key, patchBetween(earlier.get(key), value)])
  return Object.fromEntries([...gone, ...kept])
}

/** Combines patches into one with the effect of applying all in their order, where a null of a later one stays null. */
export function combinePatches(patches: Properties[]): Properties {
  if (patches.length === 1) return patches[0]!
  const changes = new Map<string, unknown[]>()
  for (const patch of patches)
    for (const [key, change] of Object.entries(patch)) {
      const earlier = changes.get(key)
      // A value that is no object replaces all earlier changes of the property.
      if (earlier && isProperties(change) && isProperties(earlier.at(-1))) earlier.push(change)
      else changes.set(key, [change])
    }
  return Object.fromEntries(
    [...changes].map(([key, ofKey]) => [
      key,
      ofKey.length === 1 ? ofKey[0] : combinePatches(ofKey as Properties[]),
    ]),
  )
}
