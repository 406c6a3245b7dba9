import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import { send } from '../api/send.ts'
import { useForm } from '../parts/form/use-form.ts'
import { Refusal } from '../parts/Refusal.tsx'
import { useWords } from '../words/words.tsx'
import { Card } from './Card.tsx'
import styles from './Card.module.css'

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
          {form.failure !== null && <Refusal error={form.failure} />}
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
