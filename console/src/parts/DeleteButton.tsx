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
  /** What it does, to how many. */
  children: ReactNode
  /** What has to be typed. */
  name: string
  isDisabled?: boolean
  onDelete: () => Promise<unknown>
  /** Where the page of the object leads once it is gone. */
  next: PageLink
  /** Its key in the cache, and that of the lists that have it. */
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
