import { Button, Checkbox } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import { useReadiness } from '../groups/use-readiness.ts'
import { useUpdateGroup } from '../groups/use-update-group.ts'
import shared from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'
import styles from './Keys.module.css'

/** The choice whether the group's own key is accepted, or only keys derived from it. */
export function KeyPolicy({ group }: { group: Group }) {
  const words = useWords('keys')
  const update = useUpdateGroup(group)
  const [isOpen, dialog] = useDisclosure()
  const allow = useMutation({ mutationFn: () => update({ key_policy: 'any' }) })
  const isDerivedOnly = group.key_policy === 'derived_only'
  return (
    <section className={shared.stack} aria-label={words.policyTitle}>
      <h2 className={shared.subtitle}>{words.policyTitle}</h2>
      <p className={shared.note}>{isDerivedOnly ? words.derivedOnlyText : words.anyText}</p>
      {allow.error !== null && <Refusal error={allow.error} />}
      <div className={shared.line}>
        {isDerivedOnly ? (
          <Button loading={allow.isPending} onClick={() => allow.mutate()}>
            {words.acceptAny}
          </Button>
        ) : (
          <Button onClick={dialog.open}>{words.acceptDerived}</Button>
        )}
      </div>
      <AcceptDerivedOnly group={group} isOpen={isOpen} onClose={dialog.close} />
    </section>
  )
}

function AcceptDerivedOnly({
  group,
  isOpen,
  onClose,
}: {
  group: Group
  isOpen: boolean
  onClose: () => void
}) {
  const words = useWords('keys')
  const format = useFormat()
  const update = useUpdateGroup(group)
  const { data } = useReadiness(group.id)
  const [isCareful, setCareful] = useState(true)
  const raw =
    data === undefined ? 0 : data.primary.bootstrap + data.secondary.bootstrap + data.replaced.bootstrap
  const listOf = (key: string) => links.onboardingDevices({ group: group.id, key })
  return (
    <ConfirmByName
      isOpen={isOpen}
      onClose={onClose}
      title={words.acceptDerivedTitle}
      name={group.name}
      action={words.acceptDerived}
      onConfirm={() => update({ key_policy: 'derived_only' }, { ifReady: isCareful })}
    >
      <p>{words.acceptDerivedText}</p>
      {data !== undefined && (
        <ul className={styles.consequences}>
          <li>
            <PageAnchor link={listOf('raw_key')}>{words.rawLockedOut(raw, format.number(raw))}</PageAnchor>
          </li>
          <li>
            <PageAnchor link={listOf('unseen')}>
              {words.rawUnseen(data.unseen, format.number(data.unseen))}
            </PageAnchor>
          </li>
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
