import { useBlocker } from '@tanstack/react-router'
import { use } from 'react'
import { DraftQuestion } from './DraftQuestion.tsx'
import { IsInFormDialog } from './in-form-dialog.ts'

interface Props {
  isChanged: boolean
  /** Whether the changes stay in the browser tab as a draft, and are there again on the next visit. */
  isKept?: boolean
}

/** Asks before a page with unsaved changes is left; changes of its own query parameters are no leaving. */
export function DraftGuard({ isChanged, isKept = false }: Props) {
  const blocker = useLeaveBlocker(isChanged && !use(IsInFormDialog))
  return (
    <DraftQuestion
      isOpen={blocker.status === 'blocked'}
      isKept={isKept}
      onStay={() => blocker.reset?.()}
      onLeave={() => blocker.proceed?.()}
    />
  )
}

export const useLeaveBlocker = (isChanged: boolean) =>
  useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
