import type { Draft } from './use-draft.ts'

/** A text of JSON while it cannot be read. */
export interface Unfinished {
  text: string
  sinceMs: number
}

/** A draft in which an unfinished text counts as the last change: undo and discard drop it. */
export function withUnfinished<Values extends object>(
  draft: Draft<Values>,
  unfinished: Unfinished | null,
  drop: () => void,
): Draft<Values> {
  if (unfinished === null) return draft
  const discard = () => {
    drop()
    if (draft.isChanged) draft.discard()
  }
  const sinceMs = draft.sinceMs ?? unfinished.sinceMs
  return {
    ...draft,
    undo: drop,
    redo: drop,
    canUndo: true,
    canRedo: false,
    discard,
    isChanged: true,
    sinceMs,
  }
}
