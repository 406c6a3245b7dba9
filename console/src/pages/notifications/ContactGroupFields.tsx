import { Textarea, TextInput } from '@mantine/core'
import type { Form } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import type { ContactGroupValues } from './contact-group.ts'
import styles from './Notifications.module.css'
import { PickMany } from '../../parts/pick/PickMany.tsx'
import { useObjectFinder } from '../access/use-object-finder.ts'

export function ContactGroupFields(props: { form: Form<ContactGroupValues>; isReadOnly?: boolean }) {
  const { form, isReadOnly = false } = props
  const { group: words, description } = useWords('notifications')
  const { values, change } = form
  return (
    <div className={styles.fields}>
      <TextInput label={words.name} autoComplete="off" readOnly={isReadOnly} {...form.field('displayName')} />
      <PickMany
        {...useObjectFinder('user')}
        label={words.users}
        description={words.usersHint}
        value={values.users}
        onChange={(users) => change({ users })}
        error={form.problem('users')}
        isReadOnly={isReadOnly}
      />
      <PickMany
        {...useObjectFinder('group')}
        label={words.groups}
        description={words.groupsHint}
        value={values.userGroups}
        onChange={(userGroups) => change({ userGroups })}
        error={form.problem('userGroups')}
        isReadOnly={isReadOnly}
      />
      <Textarea
        label={description}
        autosize
        minRows={1}
        readOnly={isReadOnly}
        {...form.field('description')}
      />
    </div>
  )
}
