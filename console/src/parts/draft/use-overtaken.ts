import { useState } from 'react'
import { type KeptFields, pickChanged, pickOvertakenFormer, restoreOvertaken } from './history.ts'

/**
 * Remembers which fields somebody else has saved while they were changed here, so that nothing is replaced unseen.
 *
 * @param kept the draft that was kept over a reload; null without one
 * @param initial what is saved now
 */
export function useOvertaken<Values extends object>(
  kept: Partial<KeptFields<Values>> | null,
  initial: Values,
) {
  const [former, setFormer] = useState<Partial<Values>>(() =>
    kept === null ? {} : restoreOvertaken(kept, initial),
  )
  return {
    /** What was saved in these fields when they were changed here. */
    former,
    /** Records what was saved since `base`. */
    record: (values: Values, base: Values, saved: Values) =>
      setFormer((present) => ({ ...pickOvertakenFormer(values, base, saved), ...present })),
    clear: () => setFormer({}),
    /** The saved values of these fields, as far as they differ from those here. */
    pick: (values: Values, saved: Values): Partial<Values> =>
      Object.fromEntries(
        Object.entries(pickChanged(saved, values)).filter(([name]) => name in former),
      ) as Partial<Values>,
  }
}
