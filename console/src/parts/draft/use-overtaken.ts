import { useState } from 'react'
import { pickChanged, pickOvertaken } from './history.ts'

/** Remembers which fields somebody else has saved while they were changed here, so that nothing is replaced unseen. */
export function useOvertaken<Values extends object>() {
  const [names, setNames] = useState<ReadonlySet<string>>(new Set())
  return {
    /** Records what was saved since `former`. */
    record: (values: Values, former: Values, saved: Values) =>
      setNames((present) => new Set([...present, ...Object.keys(pickOvertaken(values, former, saved))])),
    clear: () => setNames(new Set()),
    /** The saved values of these fields, as far as they differ from those here. */
    pick: (values: Values, saved: Values): Partial<Values> =>
      Object.fromEntries(
        Object.entries(pickChanged(saved, values)).filter(([name]) => names.has(name)),
      ) as Partial<Values>,
  }
}
