import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { DisabledReason } from '../models/DisabledReason.tsx'
import styles from './Files.module.css'
import { type Resource, resourceRoute } from './resource.ts'
import { UseList } from './UseList.tsx'
import { useUses } from './use-uses.ts'

/** Deletes a resource after saying what uses it. */
export function DeleteFile({ resource }: { resource: Resource }) {
  const { remove: words } = useWords('files')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [isOpen, dialog] = useDisclosure()
  const uses = useUses(resource.id)
  const asked = { resourceType: 'resource_item', resourceId: resource.id, permission: 'delete' } as const
  const mayDelete = useExplainedPermission(asked).data?.result
  const isUsed = uses.data !== undefined && uses.data.length > 0
  const remove = async () => {
    try {
      await api.delete(resourceRoute, {
        path: { resourceId: resource.id },
        // What the dialog has not named refuses the deletion.
        query: { ifUnused: !isUsed },
        signal: withTimeout(),
      })
    } catch (error) {
      void uses.refetch()
      throw error
    }
    await router.navigate(links.files() as never)
    cache.removeQueries({ queryKey: ['resource', resource.id] })
    await cache.invalidateQueries({ queryKey: ['resources'] })
  }
  const open = () => {
    void uses.refetch()
    dialog.open()
  }
  return (
    <>
      <DisabledReason reason={words.mayNot} asked={asked} />
      <Button color="red" variant="outline" disabled={mayDelete !== true} onClick={open}>
        {words.action}
      </Button>
      <ConfirmByName
        isOpen={isOpen}
        onClose={dialog.close}
        title={words.title}
        name={resource.displayName}
        action={words.action}
        onConfirm={remove}
      >
        {uses.isFetching && !isUsed && <Loading rows={2} />}
        {uses.isError && !uses.isFetching && (
          <div className={styles.fields}>
            <Refusal error={uses.error} />
            <Button onClick={() => void uses.refetch()}>{common.retry}</Button>
          </div>
        )}
        {isUsed && <p>{words.used(uses.data.length)}</p>}
        {isUsed && <UseList uses={uses.data} />}
        {uses.isSuccess && !uses.isFetching && !isUsed && <p>{words.unused}</p>}
      </ConfirmByName>
    </>
  )
}
