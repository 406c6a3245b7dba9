import { useEffect, useMemo, useState } from 'react'
import type { Draft } from '../../../parts/draft/use-draft.ts'
import type { Data } from '../board/board.ts'
import type { Dashboard } from '../use-dashboard.ts'
import type { DraftValues } from './choose-draft.ts'
import { createMerger, type Merger } from './merge.ts'

type Saved = Pick<Dashboard, 'version' | 'data'>

interface Options {
  /** Data of the versions that the draft was made on. */
  bases: ReadonlyMap<number, Data>
  theirs: Saved
  /** Whether nothing is merged now, since the draft is on its way to become the next version. */
  isPaused: boolean
}

const nothing: Data = {}

/**
 * Merges versions that other editors saved into the draft: immediately without conflicts, else after the user has
 * chosen.
 */
export function useMerge(draft: Draft<DraftValues>, { bases, theirs, isPaused }: Options) {
  const [mergedVersion, setMergedVersion] = useState<number | null>(null)
  const { values, rebase } = draft
  const isOutdated = !isPaused && values.version < theirs.version
  const base = bases.get(values.version) ?? nothing
  const merger = useMemo(
    () => (isOutdated ? createMerger(base, theirs.data) : null),
    [isOutdated, base, theirs.data],
  )
  const merge = useMemo(() => merger?.(values.data) ?? null, [merger, values.data])
  const canMerge = merge !== null && merge.conflicts.length === 0
  useEffect(() => {
    if (!canMerge) return
    setMergedVersion(theirs.version)
    rebase(rebaseOn(theirs, bases))
  }, [canMerge, theirs, bases, rebase])
  return {
    conflicts: merge?.conflicts ?? [],
    /** The version that was merged without conflicts. */
    mergedVersion: isOutdated || mergedVersion !== values.version ? null : mergedVersion,
    /** @param mine keys of conflicts that are decided for the draft; the others for theirs */
    resolve: (mine: ReadonlySet<string>) => rebase(rebaseOn(theirs, bases, mine)),
  }
}

/** Rebases each step of the undo history, so that undo does not take back the changes of other editors. */
function rebaseOn({ version, data }: Saved, bases: ReadonlyMap<number, Data>, mine?: ReadonlySet<string>) {
  const mergers = new Map<number, Merger>()
  return (step: DraftValues): DraftValues => {
    if (step.version === version) return step
    const merger = mergers.get(step.version) ?? createMerger(bases.get(step.version) ?? nothing, data)
    mergers.set(step.version, merger)
    return { version, data: merger(step.data, mine).data }
  }
}
