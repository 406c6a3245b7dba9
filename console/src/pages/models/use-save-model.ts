import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { Model } from './model.ts'
import type { ModelDraft } from './ModelEditor.tsx'
import { type ModelProblem, readModelProblems } from './placed-problems.ts'

export interface SaveModel {
  /** The save counts as running until `end`, so that leaving the page after it does not warn of unsaved changes. */
  run: (draft: ModelDraft, definition: Record<string, unknown>) => Promise<Model | undefined>
  end: () => void
  isRunning: boolean
  /** Problems that the server found in the definition. */
  problems: ModelProblem[]
  /** An error that belongs to no place in the definition. */
  failure: unknown
}

const none: ModelProblem[] = []

/** Saves a model and keeps the problems that the server reports. */
export function useSaveModel(
  send: (draft: ModelDraft, definition: Record<string, unknown>) => Promise<Model>,
): SaveModel {
  const cache = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [problems, setProblems] = useState(none)
  const [failure, setFailure] = useState<unknown>(null)
  const run = async (draft: ModelDraft, definition: Record<string, unknown>) => {
    setRunning(true)
    setFailure(null)
    setProblems(none)
    try {
      const saved = await send(draft, definition)
      cache.setQueryData(['model', saved.id], saved)
      for (const queryKey of [['models'], ['model-versions'], ['contents', saved.id]])
        void cache.invalidateQueries({ queryKey })
      return saved
    } catch (error) {
      const { placed, isComplete } = readModelProblems(error, draft.text)
      setProblems(placed)
      setFailure(isComplete ? null : error)
      setRunning(false)
      return undefined
    }
  }
  return { run, end: useCallback(() => setRunning(false), []), isRunning, problems, failure }
}
