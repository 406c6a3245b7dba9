import { ApiError } from '@gangway/client'
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { send } from '../api/send.ts'
import { useForm } from '../parts/form/use-form.ts'
import { Refusal } from '../parts/Refusal.tsx'
import { useWords } from '../words/words.tsx'
import { Card } from './Card.tsx'
import styles from './Card.module.css'

/** Where the installation sends no mail, that is said in place of the refusal, with what helps. */
function NotSent({ error }: { error: unknown }) {
  const words = useWords('shell')
  return error instanceof ApiError && error.code === 'conflict' ? (
    <p className={styles.text} role="alert">
      {words.reset.noMail}
    </p>
  ) : (
    <Refusal error={error} />
  )
}

export function RequestReset({ onBack }: { onBack: () => void }) {
  const words = useWords('shell')
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useForm({
    initial: { email: '' },
    validate: ({ email }) => (email.trim() === '' ? { email: words.signIn.required } : {}),
    submit: async ({ email }) => {
      await send('/v1/auth/password-reset', { email: email.trim() })
      setSentTo(email.trim())
    },
  })
  return (
    <Card title={words.reset.title} text={sentTo === null ? words.reset.text : undefined}>
      {sentTo === null ? (
        <form className={styles.form} onSubmit={form.onSubmit} noValidate>
          <TextInput
            label={words.signIn.email}
            type="email"
            autoComplete="username"
            autoFocus
            {...form.field('email')}
          />
          {form.failure !== null && <NotSent error={form.failure} />}
          <Button type="submit" variant="filled" fullWidth loading={form.isSubmitting}>
            {words.reset.submit}
          </Button>
        </form>
      ) : (
        <p className={styles.text} role="status">
          {words.reset.sent(sentTo)}
        </p>
      )}
      <div className={styles.form}>
        <button type="button" className={styles.link} onClick={onBack}>
          {words.signIn.back}
        </button>
      </div>
    </Card>
  )
}
