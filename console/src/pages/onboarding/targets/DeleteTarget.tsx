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
import type { Group, Target } from '../use-groups.ts'

const MOST_NAMED = 8

/** Deletes a target that no group uses; otherwise it lists the groups. */
export function DeleteTarget({ target, using }: { target: Target; using: Group[] | undefined }) {
  const words = useWords('targets')
  const [isOpen, dialog] = useDisclosure()
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const remove = async () => {
    await api.delete('/api/routing-targets/{id}', { path: { id: target.id }, signal: withTimeout() })
    await router.navigate(links.targets() as never)
    cache.removeQueries({ queryKey: ['target', target.id] })
    await cache.invalidateQueries({ queryKey: ['targets'] })
  }
  const isUsed = using !== undefined && using.length > 0
  return (
    <>
      <Button color="red" variant="outline" onClick={dialog.open}>
        {words.delete}
      </Button>
      {isUsed ? (
        <Modal opened={isOpen} onClose={dialog.close} title={words.usedTitle}>
          <Uses using={using} />
        </Modal>
      ) : (
        <ConfirmByName
          isOpen={isOpen}
          onClose={dialog.close}
          title={words.deleteTitle}
          name={target.name}
          action={words.delete}
          onConfirm={remove}
        >
          <p>{words.deleteText}</p>
        </ConfirmByName>
      )}
    </>
  )
}

function Uses({ using }: { using: Group[] }) {
  const words = useWords('targets')
  const format = useFormat()
  const rest = using.length - MOST_NAMED
  return (
    <div className={styles.stack}>
      <p>{words.usedText(using.length, format.number(using.length))}</p>
      <ul className={styles.list}>
        {using.slice(0, MOST_NAMED).map(({ id, name }) => (
          <li key={id}>
            <PageAnchor link={links.group(id, { tab: 'settings' })}>
              <bdi>{name}</bdi>
            </PageAnchor>
          </li>
        ))}
        {rest > 0 && <li>{words.moreGroups(format.number(rest))}</li>}
      </ul>
    </div>
  )
}
