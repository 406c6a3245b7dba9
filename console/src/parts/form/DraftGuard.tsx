import { Button, Group, Modal } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useWords } from '../../words/words.tsx'

interface Props {
  isChanged: boolean
  /** Whether the changes stay in the browser tab as a draft, and are there again on the next visit. */
  isKept?: boolean
}

/** Asks before a page with unsaved changes is left; changes of its own query parameters are no leaving. */
export function DraftGuard({ isChanged, isKept = false }: Props) {
  const words = useWords('shell')
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  return (
    <Modal opened={blocker.status === 'blocked'} onClose={() => blocker.reset?.()} title={words.draftTitle}>
      <p>{isKept ? words.draftKeptText : words.draftText}</p>
      <Group justify="flex-end" mt="md">
        <Button color={isKept ? undefined : 'red'} onClick={() => blocker.proceed?.()}>
          {isKept ? words.draftLeaveKept : words.draftLeave}
        </Button>
        <Button variant="filled" data-autofocus onClick={() => blocker.reset?.()}>
          {words.draftStay}
        </Button>
      </Group>
    </Modal>
  )
}
