import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { type Draft, useDraft } from '../../../parts/draft/use-draft.ts'
import { type Drafts, useDrafts } from '../../../session/use-drafts.ts'
import { withTimeout } from '../../devices/timeout.ts'
import { chooseDraft, type DraftTimes, type DraftValues } from './choose-draft.ts'

const route = '/v1/dashboards/{dashboardId}/draft'
/** A draft is sent when nothing was changed for this long. */
const PAUSE_MS = 2000

const draftName = (dashboardId: string) => `dashboard-${dashboardId}`

/** When the draft of the tab was changed and sent. */
const timesName = (dashboardId: string) => `${draftName(dashboardId)}-times`

/** Requests on their way by dashboard, so that none overtakes another. */
const onTheWay = new Map<string, Promise<unknown>>()

function sendInOrder<Answer>(dashboardId: string, send: () => Promise<Answer>): Promise<Answer> {
  const sent = (onTheWay.get(dashboardId) ?? Promise.resolve()).then(send)
  onTheWay.set(
    dashboardId,
    sent.catch(() => {}),
  )
  return sent
}

/** The draft of an earlier visit: that of this tab or that of the server, whichever is younger. */
export function useStoredDraft(dashboardId: string) {
  const api = useApi()
  const drafts = useDrafts()
  return useQuery({
    queryKey: ['dashboard-draft', dashboardId],
    queryFn: async ({ signal }) => {
      await onTheWay.get(dashboardId)
      const ofTab = readTabDraft(drafts, dashboardId)
      const ofServer = await api
        .get(route, { path: { dashboardId }, signal: withTimeout(signal) })
        .catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return null
          throw error
        })
      if (chooseDraft(ofTab, ofServer) !== 'server')
        return { values: ofTab?.values ?? null, isOnServer: false }
      const { version, data, changedAt } = ofServer!
      const values: DraftValues = { version, data }
      const changedMs = Date.parse(changedAt)
      drafts.write(draftName(dashboardId), { values, sinceMs: changedMs })
      drafts.write(timesName(dashboardId), { changedMs, sentAt: changedAt } satisfies DraftTimes)
      return { values, isOnServer: true }
    },
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    // The editor that has begun keeps its draft.
    meta: { isReadOnce: true },
  })
}

function readTabDraft(drafts: Drafts, dashboardId: string) {
  const kept = drafts.read<{ values: DraftValues; sinceMs: number }>(draftName(dashboardId))
  if (kept?.values === undefined) return null
  const times = drafts.read<DraftTimes>(timesName(dashboardId))
  return { values: kept.values, sinceMs: kept.sinceMs ?? 0, ...times }
}

/**
 * The draft of an editor. It is kept in the tab and, after each pause, on the server.
 * @param isOnServer whether the server has the draft as it begins
 */
export function useBoardDraft(dashboardId: string, initial: DraftValues, isOnServer: boolean) {
  const api = useApi()
  const drafts = useDrafts()
  const draft: Draft<DraftValues> = useDraft({ name: draftName(dashboardId), initial })
  const [failure, setFailure] = useState<unknown>(null)
  const { values, isChanged } = draft
  const isKept = useRef(draft.isChanged)
  const isEnded = useRef(false)
  const first = useRef(values)
  const onServer = useRef(isOnServer ? values : null)
  useEffect(() => {
    if (values !== first.current) writeTimes(drafts, dashboardId, { changedMs: Date.now() })
  }, [drafts, dashboardId, values])
  const pending = useRef<(() => void) | null>(null)
  useEffect(() => {
    pending.current = null
    if (isEnded.current || (!isChanged && !isKept.current) || values === onServer.current) return
    const path = { dashboardId }
    const send = () => {
      pending.current = null
      if (isEnded.current) return
      isKept.current = isChanged
      onServer.current = null
      const sent = sendInOrder(dashboardId, async () => {
        if (!isChanged) return api.delete(route, { path, signal: withTimeout() })
        const { changedAt } = await api.put(route, { path, body: values, signal: withTimeout() })
        if (isEnded.current) return
        onServer.current = values
        writeTimes(drafts, dashboardId, { sentAt: changedAt })
      })
      sent.then(
        () => setFailure(null),
        (error: unknown) => setFailure(error),
      )
    }
    pending.current = send
    // A discarded draft is deleted at once: the next visit would bring it back.
    const timer = setTimeout(send, isChanged ? PAUSE_MS : 0)
    return () => clearTimeout(timer)
  }, [api, drafts, dashboardId, values, isChanged])
  useEffect(() => () => pending.current?.(), [])
  /** Deletes the draft everywhere after it was saved. */
  const end = async () => {
    isEnded.current = true
    draft.forget()
    drafts.write(timesName(dashboardId), null)
    // A draft that is on its way would come after the deletion.
    await sendInOrder(dashboardId, () =>
      api.delete(route, { path: { dashboardId }, signal: withTimeout() }),
    ).catch(() => {})
  }
  return { draft, failure, end }
}

const writeTimes = (drafts: Drafts, dashboardId: string, times: DraftTimes) =>
  drafts.write(timesName(dashboardId), { ...drafts.read<DraftTimes>(timesName(dashboardId)), ...times })
