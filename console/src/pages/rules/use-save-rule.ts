import { useState } from 'react'
import type { Rule, RuleDraft } from './rule.ts'

export interface SaveRule {
  /** @param onKept called before the page changes, so that the draft is not kept */
  run: (draft: Promise<RuleDraft>, onKept: (rule: Rule) => void) => Promise<void>
  isRunning: boolean
  failure: unknown
}

/** Saves a rule by a request of the page, and then does what follows. */
export function useSaveRule(
  send: (draft: RuleDraft) => Promise<Rule>,
  onSaved: (rule: Rule) => unknown,
): SaveRule {
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const run: SaveRule['run'] = async (draft, onKept) => {
    setRunning(true)
    setFailure(null)
    try {
      const rule = await send(await draft)
      onKept(rule)
      await onSaved(rule)
    } catch (error) {
      setFailure(error)
    } finally {
      setRunning(false)
    }
  }
  return { run, isRunning, failure }
}
