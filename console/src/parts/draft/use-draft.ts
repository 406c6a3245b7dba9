import { useCallback, useEffect, useMemo, useState } from 'react'
import { useDrafts } from '../../session/use-drafts.ts'
import {
  changeDraft,
  type History,
  keepFields,
  rebase,
  rebaseHistory,
  redoDraft,
  startHistory,
  undoDraft,
} from './history.ts'
import { useOvertaken } from './use-overtaken.ts'

export interface Draft<Values extends object> {
  values: Values
  change: (changes: Partial<Values>) => void
  /** Changes all steps, those of undo and redo too; no step of its own. */
  rebase: (step: (values: Values) => Values) => void
  undo: () => void
  redo: () => void
  canUndo: boolean
  canRedo: boolean
  isChanged: boolean
  /** Time of the first unsaved change; null without changes. */
  sinceMs: number | null
  /** Whether the draft was restored after the page was reloaded. */
  isRestored: boolean
  /** What somebody else has saved in fields that were changed here as well. */
  overtaken: Partial<Values>
  /** Returns to the saved values; this can be undone. */
  discard: () => void
  /** Takes over what the server has saved; what was typed since the values were sent stays. */
  settle: (sent: Values, saved: Values) => void
  /** Deletes the stored draft after it was saved. */
  forget: () => void
}

interface Options<Values> {
  /** The name under which the draft is stored across reloads. Never use a draft for secrets. */
  name: string
  /** The saved values. */
  initial: Values
  /** Whether fields that were not changed follow `initial`, such as when somebody else has saved. */
  follows?: boolean
}

interface Kept<Values> {
  /** Of a draft that follows, only the fields that were changed. */
  values: Partial<Values>
  /** Of a draft that follows, what was saved in these fields when they were changed. */
  former?: Partial<Values>
  sinceMs: number
}

/** A draft of an editor with undo and redo. It is stored across reloads until it is saved or discarded. */
export function useDraft<Values extends object>({
  name,
  initial,
  follows = false,
}: Options<Values>): Draft<Values> {
  const drafts = useDrafts()
  const [kept] = useState(() => drafts.read<Kept<Values>>(name))
  const [history, setHistory] = useState<History<Values>>(() => startHistory({ ...initial, ...kept?.values }))
  const [sinceMs, setSinceMs] = useState<number | null>(kept?.sinceMs ?? null)
  const saved = JSON.stringify(initial)
  const [base, setBase] = useState({ saved, initial })
  const [settled, setSettled] = useState('')
  const overtaken = useOvertaken(follows ? kept : null, initial)
  if (base.saved !== saved) {
    setBase({ saved, initial })
    // What was settled has been taken over already.
    if (saved === settled) setSettled('')
    else if (follows) {
      overtaken.record(history.present, base.initial, initial)
      setHistory(rebaseHistory(history, (step) => rebase(step, base.initial, initial)))
    }
  }
  const values = history.present
  const isChanged = useMemo(() => JSON.stringify(values) !== saved, [values, saved])
  useEffect(() => setSinceMs((present) => (isChanged ? (present ?? Date.now()) : null)), [isChanged])
  useEffect(() => {
    const fields = follows ? keepFields(values, JSON.parse(saved) as Values, overtaken.former) : { values }
    drafts.write(name, isChanged ? { ...fields, sinceMs: sinceMs ?? Date.now() } : null)
  }, [drafts, name, values, saved, isChanged, sinceMs, follows, overtaken.former])
  const change = useCallback(
    (changes: Partial<Values>) => setHistory((present) => changeDraft(present, changes, Date.now())),
    [],
  )
  return {
    values,
    change,
    rebase: useCallback((step) => setHistory((present) => rebaseHistory(present, step)), []),
    undo: useCallback(() => setHistory(undoDraft), []),
    redo: useCallback(() => setHistory(redoDraft), []),
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    isChanged,
    sinceMs,
    isRestored: kept !== null && isChanged,
    overtaken: overtaken.pick(values, initial),
    discard: () => {
      overtaken.clear()
      change(initial)
    },
    settle: (sent, next) => {
      setSettled(JSON.stringify(next))
      overtaken.clear()
      setHistory((present) => ({ ...present, present: rebase(present.present, sent, next) }))
    },
    forget: () => drafts.write(name, null),
  }
}
