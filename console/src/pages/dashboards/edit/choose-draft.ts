/** Chooses between the drafts of an editor that the tab and the server have kept. */
import type { Data } from '../board/board.ts'

/** A draft with the version that it changes. */
export interface DraftValues {
  version: number
  data: Data
}

/** Times at which the draft of a tab was changed and sent. */
export interface DraftTimes {
  /** Its last change, by the clock of the browser. */
  changedMs?: number
  /** Time that the server gave to what this tab sent last. */
  sentAt?: string
}

interface TabDraft extends DraftTimes {
  values: DraftValues
  sinceMs: number
}

interface ServerDraft extends DraftValues {
  changedAt: string
}

/** Chooses the draft of the tab if the one on the server was not changed since the tab sent it, else the younger one. */
export function chooseDraft(ofTab: TabDraft | null, ofServer: ServerDraft | null): 'tab' | 'server' | null {
  if (ofTab === null) return ofServer === null ? null : 'server'
  if (ofServer === null || ofServer.changedAt === ofTab.sentAt) return 'tab'
  return Date.parse(ofServer.changedAt) > (ofTab.changedMs ?? ofTab.sinceMs) ? 'server' : 'tab'
}
