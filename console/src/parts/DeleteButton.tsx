import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PageLink } from '../links.ts'
import { ConfirmByName } from './ConfirmByName.tsx'

interface Props {
  /** A verb with its object: "Delete rule". */
  action: string
  title: string
  /** The text of the dialog: what the deletion does, and to how many objects. */
  children: ReactNode
  /** The text that the user has to type, such as the name of the object. */
  name: string
  isDisabled?: boolean
  onDelete: () => Promise<unknown>
  /** The page that is opened after the deletion. */
  next: PageLink
  /** The query keys of the object and of the lists that contain it. */
  cached: { one: QueryKey; lists: QueryKey }
}

/** The button on the page of an object that deletes it, after its name was typed. */
export function DeleteButton({ isDisabled = false, onDelete, next, cached, ...dialog }: Props) {
  const cache = useQueryClient()
  const router = useRouter()
  const [isOpen, { open, close }] = useDisclosure()
  const remove = async () => {
    await onDelete()
    await router.navigate(next as never)
    cache.removeQueries({ queryKey: cached.one })
    await cache.invalidateQueries({ queryKey: cached.lists })
  }
  return (
    <>
      <Button color="red" variant="outline" disabled={isDisabled} onClick={open}>
        {dialog.action}
      </Button>
      <ConfirmByName isOpen={isOpen} onClose={close} onConfirm={remove} {...dialog} />
    </>
  )
}
