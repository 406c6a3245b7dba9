import { useMemo } from 'react'
import { readDraft, writeDraft } from './drafts.ts'
import { useSessionState } from './SessionProvider.tsx'

export interface Drafts {
  read: <Values>(name: string) => Partial<Values> | null
  /** @param values null forgets the draft */
  write: (name: string, values: object | null) => void
}

/** The drafts of the signed-in user. Where nobody is signed in, such as on a kiosk, nothing is kept. */
export function useDrafts(): Drafts {
  const state = useSessionState()
  const userId = 'user' in state ? state.user.id : null
  return useMemo(
    () => ({
      read: <Values>(name: string) => (userId === null ? null : readDraft<Values>(userId, name)),
      write: (name, values) => {
        if (userId !== null) writeDraft(userId, name, values)
      },
    }),
    [userId],
  )
}
