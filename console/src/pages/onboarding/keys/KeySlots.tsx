import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { Id } from '../../../parts/Id.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import { FlipKeys } from './FlipKeys.tsx'
import styles from './Keys.module.css'
import type { Keys } from './use-keys.ts'

/** Shown keys are hidden after this time. */
const SHOWN_MS = 60_000
const slots = ['primary', 'secondary'] as const

/** Both key slots and their actions. */
export function KeySlots({ group, keys }: { group: Group; keys: Keys }) {
  const words = useWords('keys')
  const api = useApi()
  const cache = useQueryClient()
  const [isShown, setShown] = useState(false)
  const [isFlipping, flip] = useDisclosure()
  const path = { id: group.id }
  const refresh = () =>
    Promise.all([
      cache.invalidateQueries({ queryKey: ['keys', group.id] }),
      cache.invalidateQueries({ queryKey: ['readiness', group.id] }),
    ])
  const generate = useMutation({
    mutationFn: () => api.post('/api/enrollment-groups/{id}/keys/generate', { path, signal: withTimeout() }),
    onSuccess: refresh,
  })
  useEffect(() => {
    if (!isShown) return
    const timer = setTimeout(() => setShown(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isShown])
  const [isEmpty, isFull] = [keys.primary_key === null, keys.secondary_key !== null]
  return (
    <section className={shared.stack} aria-label={words.title}>
      <h2 className={shared.subtitle}>{words.title}</h2>
      <p className={shared.note}>{isEmpty ? words.emptyText : isFull ? words.fullText : words.oneText}</p>
      {!isEmpty && <SlotTable keys={keys} isShown={isShown} />}
      {generate.error !== null && <Refusal error={generate.error} />}
      <div className={shared.line}>
        {!isEmpty && <Button onClick={() => setShown(!isShown)}>{isShown ? words.hide : words.show}</Button>}
        {!isFull && (
          <Button
            variant={isEmpty ? 'filled' : 'default'}
            loading={generate.isPending}
            onClick={() => generate.mutate()}
          >
            {isEmpty ? words.generate : words.generateSecond}
          </Button>
        )}
        {isFull && (
          <Button color="red" variant="outline" onClick={flip.open}>
            {words.flip}
          </Button>
        )}
      </div>
      {isShown && <p className={shared.small}>{words.hidesAgain}</p>}
      <FlipKeys group={group} isOpen={isFlipping} onClose={flip.close} onFlipped={refresh} />
    </section>
  )
}

function SlotTable({ keys, isShown }: { keys: Keys; isShown: boolean }) {
  const words = useWords('keys')
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{words.slot}</th>
          <th scope="col">{words.key}</th>
          <th scope="col" className={styles.onDesk}>
            {words.made}
          </th>
          <th scope="col">{words.lastUsed}</th>
        </tr>
      </thead>
      <tbody>
        {slots.map((slot) => {
          const [key, madeAt, usedAt] = [
            keys[`${slot}_key`],
            keys[`${slot}_created_at`],
            keys[`${slot}_last_used_at`],
          ]
          return (
            <tr key={slot}>
              <th scope="row">{words.slots[slot]}</th>
              <td>
                {key === null && <span className={styles.none}>{words.emptySlot}</span>}
                {key !== null && !isShown && <span className={styles.none}>{words.hidden}</span>}
                {key !== null && isShown && (
                  <span className={styles.key}>
                    <Id value={key} name={words.slots[slot]} />
                  </span>
                )}
              </td>
              <td className={styles.onDesk}>{madeAt !== null && <RelativeTime at={madeAt} />}</td>
              <td>
                {usedAt !== null && <RelativeTime at={usedAt} />}
                {usedAt === null && key !== null && <span className={styles.none}>{words.neverUsed}</span>}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
