import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import { send } from '../api/send.ts'
import { createSession, type Session } from './session.ts'

const SessionContext = createContext<Session | null>(null)

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session] = useState(() => createSession(send))
  const [failure, setFailure] = useState<unknown>(null)
  useEffect(() => {
    session.start().catch(setFailure)
  }, [session])
  if (failure !== null) throw failure
  return <SessionContext value={session}>{children}</SessionContext>
}

export function useSession(): Session {
  const session = use(SessionContext)
  if (session === null) throw new Error('useSession needs a SessionProvider')
  return session
}

export function useSessionState() {
  const { subscribe, getState } = useSession()
  return useSyncExternalStore(subscribe, getState)
}

/** The signed-in user; only below the shell. */
export function useUser() {
  const state = useSessionState()
  if (state.kind !== 'signed-in' && state.kind !== 'expired') throw new Error('nobody is signed in')
  return state.user
}
