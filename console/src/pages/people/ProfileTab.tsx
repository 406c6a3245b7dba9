import { Button, TextInput } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { pickChanged } from '../../parts/draft/history.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { WhyNot } from '../models/WhyNot.tsx'
import styles from './People.module.css'

type User = Schemas['User']
const phone = /^\+[1-9]\d{1,14}$/

/** Name and phone number of a user, and the link that sets a password. */
export function ProfileTab({ user }: { user: User }) {
  const words = useWords('people')
  const asked = { resourceType: 'user', resourceId: user.id, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  return (
    <div className={styles.profile}>
      {mayManage === false && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
      <Profile user={user} isReadOnly={mayManage !== true} />
      {mayManage === true && user.email !== null && <PasswordLink user={user} email={user.email} />}
    </div>
  )
}

function Profile({ user, isReadOnly }: { user: User; isReadOnly: boolean }) {
  const words = useWords('people')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const initial = useMemo(() => readProfile(user), [user])
  const form = useForm({
    draft: `user-${user.id}`,
    follows: true,
    initial,
    validate: ({ displayName, phoneNumber }) => ({
      ...(displayName.trim() === '' && { displayName: common.required }),
      ...(phoneNumber.trim() !== '' && !phone.test(phoneNumber.trim()) && { phoneNumber: words.phoneWrong }),
    }),
    submit: async (values) => {
      const saved = await api.patch('/v1/users/{userId}', {
        path: { userId: user.id },
        // Somebody else may have changed the rest.
        body: pickChanged(writeProfile(values), writeProfile(initial)),
        signal: withTimeout(),
      })
      form.settle(values, readProfile(saved))
      cache.setQueryData(['user', user.id], saved)
      void cache.invalidateQueries({ queryKey: ['users'] })
      void cache.invalidateQueries({ queryKey: ['object-name', 'user', user.id] })
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.tabs.profile}>
      <TextInput label={words.name} autoComplete="off" readOnly={isReadOnly} {...form.field('displayName')} />
      <TextInput
        label={words.phone}
        description={words.phoneHint}
        autoComplete="off"
        readOnly={isReadOnly}
        {...form.field('phoneNumber')}
      />
      {!isReadOnly && <SaveBar form={form} label={words.save} />}
    </form>
  )
}

const readProfile = ({ displayName, phoneNumber }: User) => ({
  displayName,
  phoneNumber: phoneNumber ?? '',
})

const writeProfile = ({ displayName, phoneNumber }: ReturnType<typeof readProfile>) => ({
  displayName: displayName.trim(),
  phoneNumber: phoneNumber.trim() || null,
})

/** Mails a link that sets a password, such as to somebody whose invitation has expired. */
function PasswordLink({ user, email }: { user: User; email: string }) {
  const { link: words } = useWords('people')
  const api = useApi()
  const send = useMutation({
    mutationFn: () =>
      api.post('/v1/users/{userId}/password-link', { path: { userId: user.id }, signal: withTimeout() }),
  })
  return (
    <section className={styles.panel} aria-label={words.title}>
      <h2 className={styles.subtitle}>{words.title}</h2>
      <p className={styles.note}>{words.text}</p>
      <Button loading={send.isPending} onClick={() => send.mutate()}>
        {words.action}
      </Button>
      {send.isSuccess && <p role="status">{words.sent(email)}</p>}
      {send.error !== null && <Refusal error={send.error} />}
    </section>
  )
}
