import { Button, Modal } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { LostRelationsOf } from '../access/LostRelations.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { DisabledReason } from '../models/DisabledReason.tsx'
import styles from './People.module.css'

type User = Schemas['User']
const route = '/v1/users/{userId}'

/** Buttons that disable, enable and delete a user. */
export function UserActions({ user }: { user: User }) {
  const { disable, remove } = useWords('people')
  const asked = { resourceType: 'user', resourceId: user.id } as const
  const manage = { ...asked, permission: 'manage' } as const
  const toDelete = { ...asked, permission: 'delete' } as const
  const mayManage = useExplainedPermission(manage).data?.result
  const mayDelete = useExplainedPermission(toDelete).data?.result
  return (
    <>
      <DisabledReason reason={disable.mayNot} asked={manage} />
      <Disable user={user} isAllowed={mayManage === true} />
      <DisabledReason reason={remove.mayNot} asked={toDelete} />
      <Delete user={user} isAllowed={mayDelete === true} />
    </>
  )
}

interface ActionProps {
  user: User
  isAllowed: boolean
}

function Disable({ user, isAllowed }: ActionProps) {
  const { disable: words } = useWords('people')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const [isOpen, dialog] = useDisclosure()
  const set = useMutation({
    mutationFn: (disabled: boolean) =>
      api.patch(route, { path: { userId: user.id }, body: { disabled }, signal: withTimeout() }),
    onSuccess: (saved) => {
      cache.setQueryData(['user', user.id], saved)
      void cache.invalidateQueries({ queryKey: ['users'] })
      dialog.close()
    },
  })
  if (user.disabled)
    return (
      <>
        <Button disabled={!isAllowed} loading={set.isPending} onClick={() => set.mutate(false)}>
          {words.enable}
        </Button>
        {set.error !== null && <Refusal error={set.error} />}
      </>
    )
  return (
    <>
      <Button disabled={!isAllowed} onClick={dialog.open}>
        {words.action}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={words.title}>
        <div className={styles.fields}>
          <p>{words.text}</p>
          <LostRelationsOf type="user" id={user.id} />
          {set.error !== null && <Refusal error={set.error} />}
          <div className={styles.dialogActions}>
            <Button onClick={dialog.close}>{common.cancel}</Button>
            <Button variant="filled" color="red" loading={set.isPending} onClick={() => set.mutate(true)}>
              {words.action}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}

function Delete({ user, isAllowed }: ActionProps) {
  const { remove: words } = useWords('people')
  const api = useApi()
  return (
    <DeleteButton
      action={words.action}
      title={words.title}
      name={user.displayName}
      isDisabled={!isAllowed}
      onDelete={() => api.delete(route, { path: { userId: user.id }, signal: withTimeout() })}
      next={links.people()}
      cached={{ one: ['user', user.id], lists: ['users'] }}
    >
      <p>{words.text}</p>
      <LostRelationsOf type="user" id={user.id} />
    </DeleteButton>
  )
}
