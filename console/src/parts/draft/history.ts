/** The current values of a draft, with the steps for undo and redo. */
export interface History<Values> {
  past: Values[]
  present: Values
  future: Values[]
  /** The last changed fields with the time: changes of the same fields in quick succession are one step. */
  last: { keys: string; atMs: number } | null
}

const ONE_STEP_MS = 800

export const startHistory = <Values>(present: Values): History<Values> => ({
  past: [],
  present,
  future: [],
  last: null,
})

export function changeDraft<Values extends object>(
  { past, present, last }: History<Values>,
  changes: Partial<Values>,
  nowMs: number,
): History<Values> {
  const keys = Object.keys(changes).join(' ')
  const isSameStep = last !== null && last.keys === keys && nowMs - last.atMs < ONE_STEP_MS
  return {
    past: isSameStep ? past : [...past, present],
    present: { ...present, ...changes },
    future: [],
    last: { keys, atMs: nowMs },
  }
}

export function undoDraft<Values>(history: History<Values>): History<Values> {
  const { past, present, future } = history
  if (past.length === 0) return history
  return { past: past.slice(0, -1), present: past.at(-1)!, future: [present, ...future], last: null }
}

export function redoDraft<Values>(history: History<Values>): History<Values> {
  const { past, present, future } = history
  if (future.length === 0) return history
  return { past: [...past, present], present: future[0]!, future: future.slice(1), last: null }
}

/** Changes all steps, so that undo does not bring back what others have changed below the draft. */
export const rebaseHistory = <Values>(
  { past, present, future, last }: History<Values>,
  rebaseStep: (step: Values) => Values,
): History<Values> => ({
  past: past.map(rebaseStep),
  present: rebaseStep(present),
  future: future.map(rebaseStep),
  last,
})

/**
 * Values after somebody else has saved: fields that still are as they were saved before follow the newly saved ones, and
 * the others keep what was typed.
 */
export function rebase<Values extends object>(values: Values, former: Values, saved: Values): Values {
  const own = pickChanged(values, former)
  return { ...saved, ...own }
}

/** The fields that differ from the saved ones. */
export function pickChanged<Values extends object>(values: Values, saved: Values): Partial<Values> {
  const isOwn = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(saved[name as keyof Values])
  return Object.fromEntries(Object.entries(values).filter(isOwn)) as Partial<Values>
}

/** The values that somebody else has saved for fields that were changed here as well, if they differ from those here. */
export function pickOvertaken<Values extends object>(
  values: Values,
  former: Values,
  saved: Values,
): Partial<Values> {
  const own = pickChanged(values, former)
  const theirs = pickChanged(saved, former)
  const isOvertaken = ([name]: [string, unknown]) => name in own && name in theirs
  return Object.fromEntries(Object.entries(pickChanged(saved, values)).filter(isOvertaken)) as Partial<Values>
}

/** Former values of the fields that were changed here and that somebody else has saved as well. */
export function pickOvertakenFormer<Values extends object>(
  values: Values,
  former: Values,
  saved: Values,
): Partial<Values> {
  return pickFields(former, pickOvertaken(values, former, saved))
}

/** The changed fields of a draft, as it is kept over a reload. */
export interface KeptFields<Values> {
  values: Partial<Values>
  /** What was saved in these fields when they were changed. */
  former: Partial<Values>
}

/** @param overtaken former values of the fields that somebody else has saved since they were changed */
export function keepFields<Values extends object>(
  values: Values,
  saved: Values,
  overtaken: Partial<Values>,
): KeptFields<Values> {
  const own = pickChanged(values, saved)
  return { values: own, former: pickFields({ ...saved, ...overtaken }, own) }
}

/** @returns former values of the fields that somebody else has saved since the draft was kept */
export const restoreOvertaken = <Values extends object>(
  { values, former }: Partial<KeptFields<Values>>,
  saved: Values,
): Partial<Values> => pickOvertakenFormer({ ...saved, ...values }, { ...saved, ...former }, saved)

const pickFields = <Values extends object>(values: Values, fields: object) =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name in fields)) as Partial<Values>
