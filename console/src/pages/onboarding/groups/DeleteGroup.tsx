import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import { useReadiness } from './use-readiness.ts'

/** Deletes a group that has no devices; otherwise it links to the devices. */
export function DeleteGroup({ group }: { group: Group }) {
  const words = useWords('groups')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const { data: readiness } = useReadiness(group.id)
  const [isOpen, dialog] = useDisclosure()
  const count = readiness?.devices ?? 0
  const remove = async () => {
    await api.delete('/api/enrollment-groups/{id}', { path: { id: group.id }, signal: withTimeout() })
    await router.navigate(links.groups() as never)
    cache.removeQueries({ queryKey: ['group', group.id] })
    await cache.invalidateQueries({ queryKey: ['groups'] })
  }
  return (
    <>
      <Button color="red" variant="outline" onClick={dialog.open}>
        {words.delete}
      </Button>
      {count > 0 ? (
        <Modal opened={isOpen} onClose={dialog.close} title={words.notEmptyTitle}>
          <div className={styles.stack}>
            <p>{words.notEmptyText(count, format.number(count))}</p>
            <PageAnchor link={links.onboardingDevices({ group: group.id })}>{words.showDevices}</PageAnchor>
          </div>
        </Modal>
      ) : (
        <ConfirmByName
          isOpen={isOpen}
          onClose={dialog.close}
          title={words.deleteTitle}
          name={group.name}
          action={words.delete}
          onConfirm={remove}
        >
          <p>{words.deleteText}</p>
        </ConfirmByName>
      )}
    </>
  )
}
