import { Checkbox } from '@mantine/core'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { useReadiness } from '../groups/use-readiness.ts'
import type { Group } from '../use-groups.ts'
import styles from './Keys.module.css'
import { sumKinds } from './sum-kinds.ts'

interface Props {
  group: Group
  isOpen: boolean
  onClose: () => void
  onFlipped: () => Promise<unknown>
}

/** Confirms a key flip with the number of affected devices, because the replaced key cannot be restored. */
export function FlipKeys({ group, isOpen, onClose, onFlipped }: Props) {
  const words = useWords('keys')
  const api = useApi()
  const format = useFormat()
  const { data } = useReadiness(group.id)
  const [isCareful, setCareful] = useState(true)
  const flip = async () => {
    await api.post('/api/enrollment-groups/{id}/keys/flip', {
      path: { id: group.id },
      query: isCareful ? { if_ready: true } : {},
      signal: withTimeout(),
    })
    await onFlipped()
  }
  const listOf = (key: string) => links.onboardingDevices({ group: group.id, key })
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={words.flipTitle}
      name={group.name}
      action={words.flip}
      onConfirm={flip}
    >
      <p>{words.flipText}</p>
      {data !== undefined && (
        <ul className={styles.consequences}>
          <li>
            <PageAnchor link={listOf('old_key')}>
              {words.lockedOut(sumKinds(data.primary), format.number(sumKinds(data.primary)))}
            </PageAnchor>
          </li>
          {sumKinds(data.replaced) > 0 && (
            <li>
              <PageAnchor link={listOf('replaced_key')}>
                {words.lockedOutBefore(sumKinds(data.replaced), format.number(sumKinds(data.replaced)))}
              </PageAnchor>
            </li>
          )}
          <li>
            <PageAnchor link={listOf('unseen')}>
              {words.mayBeLockedOut(data.unseen, format.number(data.unseen))}
            </PageAnchor>
          </li>
          <li>{words.unaffected(sumKinds(data.secondary), format.number(sumKinds(data.secondary)))}</li>
        </ul>
      )}
      <Checkbox
        label={words.onlyIfReady}
        description={words.onlyIfReadyHint}
        checked={isCareful}
        onChange={(event) => setCareful(event.currentTarget.checked)}
      />
    </ConfirmByName>
  )
}
