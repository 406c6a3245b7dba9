/** The draft of an editor may be in the tab and on the server: which one is continued. */
import type { Data } from '../board/board.ts'

/** A draft with the version that it changes. */
export interface DraftValues {
  version: number
  data: Data
}

/** When the draft of a tab was changed and sent. */
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

/** The draft that is continued: the tab's if nobody changed the server's since, else the younger one. */
export function chooseDraft(ofTab: TabDraft | null, ofServer: ServerDraft | null): 'tab' | 'server' | null {
  if (ofTab === null) return ofServer === null ? null : 'server'
  if (ofServer === null || ofServer.changedAt === ofTab.sentAt) return 'tab'
  return Date.parse(ofServer.changedAt) > (ofTab.changedMs ?? ofTab.sinceMs) ? 'server' : 'tab'
}
