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

/** Combines two patches into one with the effect of applying both, where a null of the second stays null. */
export function combinePatches(first: Properties, second: Properties): Properties {
  const combined = new Map(Object.entries(first))
  for (const [key, change] of Object.entries(second)) {
    const earlier = combined.get(key)
    combined.set(
      key,
      isProperties(earlier) && isProperties(change) ? combinePatches(earlier, change) : change,
    )
  }
  return Object.fromEntries(combined)
}
