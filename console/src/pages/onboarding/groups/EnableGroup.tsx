import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useFormat } from '../../../format.ts'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import { useReadiness } from './use-readiness.ts'
import { useUpdateGroup } from './use-update-group.ts'

/** Enables a group at once, and disables it after a confirmation that names the affected devices. */
export function EnableGroup({ group }: { group: Group }) {
  const words = useWords('groups')
  const common = useWords('common')
  const format = useFormat()
  const update = useUpdateGroup(group)
  const { data: readiness } = useReadiness(group.id)
  const [isOpen, dialog] = useDisclosure()
  const isEnabled = group.status === 'enabled'
  const change = useMutation({
    mutationFn: () => update({ status: isEnabled ? 'disabled' : 'enabled' }),
    onSuccess: dialog.close,
    onError: dialog.open,
  })
  const label = isEnabled ? words.disable : words.enable
  const count = readiness?.devices
  return (
    <>
      <Button
        loading={change.isPending && !isOpen}
        onClick={() => (isEnabled ? dialog.open() : change.mutate())}
      >
        {label}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={label}>
        <div className={styles.stack}>
          {isEnabled && (
            <p>{count === undefined ? words.disableText : words.disableCount(count, format.number(count))}</p>
          )}
          {change.error !== null && <Refusal error={change.error} />}
          <div className={styles.line}>
            <Button onClick={dialog.close}>{common.cancel}</Button>
            <Button variant="filled" loading={change.isPending} onClick={() => change.mutate()}>
              {label}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}
