import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import type { Draft } from '../../../parts/draft/use-draft.ts'
import { withTimeout } from '../../devices/timeout.ts'
import type { Dashboard } from '../use-dashboard.ts'
import type { DraftValues } from './choose-draft.ts'
import { isSame } from './is-same.ts'

export const saveRoute = '/v1/dashboards/{dashboardId}'

export const writeBody = ({ version, data }: DraftValues) => ({ version, data })

interface Options {
  draft: Draft<DraftValues>
  /** Deletes the draft after it was saved. */
  end: () => Promise<void>
  refetch: () => void
}

/**
 * Saves the draft and opens the dashboard. The editor stays open with what was changed while the values were sent: that
 * is a draft on the new version.
 */
export function useSaveBoard(id: string, { draft, end, refetch }: Options) {
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [isRunning, setRunning] = useState(false)
  const [isDone, setDone] = useState(false)
  const [keptVersion, setKeptVersion] = useState<number | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const latest = useRef(draft)
  latest.current = draft
  const keep = ({ version }: Dashboard) => {
    latest.current.rebase(({ data }) => ({ version, data }))
    setKeptVersion(version)
  }
  const leave = async () => {
    // The board takes no input while the next page loads, since its changes would be lost.
    setDone(true)
    void end()
    await router.navigate(links.dashboard(id) as never)
  }
  const run = async () => {
    setRunning(true)
    setFailure(null)
    try {
      const sent = draft.values
      const body = writeBody(sent)
      const saved = await api.patch(saveRoute, { path: { dashboardId: id }, body, signal: withTimeout() })
      cache.setQueryData(['dashboard', id], saved)
      if (isSame(latest.current.values.data, sent.data)) await leave()
      else keep(saved)
      void cache.invalidateQueries({ queryKey: ['dashboards'] })
    } catch (error) {
      // After a conflict the newest version is read, and merged.
      refetch()
      setDone(false)
      setFailure(isConflict(error) ? null : error)
    } finally {
      setRunning(false)
    }
  }
  return {
    run,
    isRunning,
    /** Whether everything is saved, and the dashboard opens. */
    isDone,
    /** The version that was saved without what was changed meanwhile. */
    keptVersion,
    failure,
  }
}

const isConflict = (error: unknown) => (error as { code?: string } | null)?.code === 'conflict'
