import { useEffect, useMemo, useState } from 'react'
import type { Draft } from '../../../parts/draft/use-draft.ts'
import type { Data } from '../board/board.ts'
import type { Dashboard } from '../use-dashboard.ts'
import type { DraftValues } from './choose-draft.ts'
import { mergeData } from './merge.ts'

/**
 * Merges versions that other editors saved into the draft: immediately without conflicts, else after the user has
 * chosen.
 * @param bases data of the versions that the draft was made on
 */
export function useMerge(draft: Draft<DraftValues>, bases: ReadonlyMap<number, Data>, theirs: Dashboard) {
  const [mergedVersion, setMergedVersion] = useState<number | null>(null)
  const { values, rebase } = draft
  const isOutdated = values.version !== theirs.version
  const base = bases.get(values.version) ?? {}
  const merge = useMemo(
    () => (isOutdated ? mergeData(base, values.data, theirs.data) : null),
    [isOutdated, base, values.data, theirs.data],
  )
  const canMerge = merge !== null && merge.conflicts.length === 0
  useEffect(() => {
    if (!canMerge) return
    setMergedVersion(theirs.version)
    rebase(rebaseOn(theirs, bases))
  }, [canMerge, theirs, bases, rebase])
  return {
    conflicts: merge?.conflicts ?? [],
    /** The version that was merged without conflicts. */
    mergedVersion: isOutdated ? null : mergedVersion,
    /** @param mine keys of conflicts that are decided for the draft; the others for theirs */
    resolve: (mine: ReadonlySet<string>) => rebase(rebaseOn(theirs, bases, mine)),
  }
}

/** Rebases each step of the undo history, so that undo does not take back the changes of other editors. */
const rebaseOn =
  ({ version, data }: Dashboard, bases: ReadonlyMap<number, Data>, mine?: ReadonlySet<string>) =>
  (step: DraftValues): DraftValues =>
    step.version === version
      ? step
      : { version, data: mergeData(bases.get(step.version) ?? {}, step.data, data, mine).data }
