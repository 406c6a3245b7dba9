import { Button, Group, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useWords } from '../words/words.tsx'
import { Refusal } from './Refusal.tsx'

interface Props {
  isOpen: boolean
  onClose: () => void
  title: string
  /** The text of the dialog: what the action does, and to how many objects. */
  children: ReactNode
  /** The text that the user has to type, such as the name of the object. */
  name: string
  /** A verb with its object: "Delete device". */
  action: string
  onConfirm: () => Promise<unknown>
}

/** Dialog before an action that cannot be undone: the user confirms it by typing the name of the object. */
export function ConfirmByName(props: Props) {
  const words = useWords('common')
  const [typed, setTyped] = useState('')
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const close = () => {
    setTyped('')
    setFailure(null)
    props.onClose()
  }
  const run = async () => {
    setRunning(true)
    setFailure(null)
    try {
      await props.onConfirm()
      close()
    } catch (error) {
      setFailure(error)
    } finally {
      setRunning(false)
    }
  }
  return (
    <Modal opened={props.isOpen} onClose={close} title={props.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (typed === props.name) void run()
        }}
      >
        {props.children}
        <TextInput
          mt="md"
          mb="md"
          data-autofocus
          autoComplete="off"
          label={words.confirmName(props.name)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {failure !== null && <Refusal error={failure} />}
        <Group justify="flex-end" mt="md">
          <Button onClick={close}>{words.cancel}</Button>
          <Button
            type="submit"
            variant="filled"
            color="red"
            disabled={typed !== props.name}
            loading={isRunning}
          >
            {props.action}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
