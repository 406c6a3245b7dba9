import { Modal, type ModalProps } from '@mantine/core'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { DraftQuestion } from './DraftQuestion.tsx'
import { useLeaveBlocker } from './DraftGuard.tsx'
import type { Form } from './use-form.ts'
import { IsInFormDialog } from './in-form-dialog.ts'

interface Props extends Pick<ModalProps, 'title' | 'size' | 'children'> {
  form: Pick<Form<object>, 'isChanged' | 'isSubmitting'> & { isKept?: boolean }
  onClose: () => void
}

/**
 * A dialog with a form. If something was typed, it asks before a link, Esc or a click beside it discards that; a form
 * with a draft closes at once, because what was typed is there again.
 */
export function FormDialog({ form, onClose, children, ...rest }: Props) {
  const common = useWords('common')
  const [isAsking, setAsking] = useState(false)
  const { isKept = false } = form
  const isUnsaved = form.isChanged && !form.isSubmitting
  const blocker = useLeaveBlocker(isUnsaved)
  const isLeaving = blocker.status === 'blocked'
  const isOpen = (isAsking && isUnsaved) || isLeaving
  // Each dialog closes by Esc. One that opened during the key would be closed by it.
  const ask = () => void setTimeout(() => setAsking(true))
  const stay = () =>
    void setTimeout(() => {
      setAsking(false)
      blocker.reset?.()
    })
  return (
    <>
      <Modal
        opened
        onClose={() => (isUnsaved && !isKept ? ask() : onClose())}
        closeOnEscape={!isOpen}
        closeButtonProps={{ 'aria-label': common.close }}
        {...rest}
      >
        <IsInFormDialog value>{children}</IsInFormDialog>
      </Modal>
      <DraftQuestion
        isOpen={isOpen}
        isKept={isKept}
        onStay={stay}
        onLeave={() => (isLeaving ? blocker.proceed?.() : onClose())}
      />
    </>
  )
}
