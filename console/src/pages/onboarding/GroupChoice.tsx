import { Button, Select } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { links } from '../../links.ts'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Onboarding.module.css'
import type { ChosenGroup } from './use-chosen-group.ts'
import type { Group } from './use-groups.ts'

interface Props {
  chosen: ChosenGroup
  onChoose: (groupId: string) => void
  children: (group: Group) => ReactNode
}

/** A select for an enrollment group, with the content for the chosen group below it. */
export function GroupChoice({ chosen, onChoose, children }: Props) {
  const words = useWords('onboarding')
  const { group, groups, isCut, error, retry } = chosen
  if (error !== null && group === undefined) return <Failed error={error} onRetry={retry} />
  if (groups?.length === 0) return <NoGroup />
  if (group === undefined || groups === undefined) return <Loading />
  return (
    <>
      <Select
        className={styles.choice}
        label={words.group}
        description={isCut ? words.first1000 : undefined}
        searchable
        value={group.id}
        data={[group, ...groups.filter(({ id }) => id !== group.id)]
          .map(({ id, name }) => ({ value: id, label: name }))
          .toSorted((a, b) => a.label.localeCompare(b.label))}
        onChange={(id) => id !== null && onChoose(id)}
      />
      {children(group)}
    </>
  )
}

/** Shown if no group exists: it leads to the previous step of onboarding. */
export function NoGroup() {
  const words = useWords('onboarding')
  return (
    <Empty
      icon="onboarding"
      title={words.noGroupTitle}
      text={words.noGroupText}
      action={
        <Button
          variant="filled"
          renderRoot={(props) => <Link {...props} {...(links.newGroup() as { to: string })} />}
        >
          {words.createGroup}
        </Button>
      }
    />
  )
}
