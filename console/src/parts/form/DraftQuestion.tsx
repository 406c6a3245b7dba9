import { Button, Group, Modal } from '@mantine/core'
import { useWords } from '../../words/words.tsx'

interface Props {
  isOpen: boolean
  /** Whether the changes stay in the browser tab as a draft, and are there again on the next visit. */
  isKept: boolean
  onStay: () => void
  onLeave: () => void
}

/** Asks whether a form with unsaved changes is left. */
export function DraftQuestion({ isOpen, isKept, onStay, onLeave }: Props) {
  const words = useWords('shell')
  return (
    <Modal opened={isOpen} onClose={onStay} title={words.draftTitle}>
      <p>{isKept ? words.draftKeptText : words.draftText}</p>
      <Group justify="flex-end" mt="md">
        <Button color={isKept ? undefined : 'red'} onClick={onLeave}>
          {isKept ? words.draftLeaveKept : words.draftLeave}
        </Button>
        <Button variant="filled" data-autofocus onClick={onStay}>
          {words.draftStay}
        </Button>
      </Group>
    </Modal>
  )
}
