import { Button, Checkbox, PasswordInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { send } from '../api/send.ts'
import { useForm } from '../parts/form/use-form.ts'
import { Refusal } from '../parts/Refusal.tsx'
import { useWords } from '../words/words.tsx'
import { Card } from './Card.tsx'
import styles from './Card.module.css'

/** Where the link of a mail leads: `/console/reset-password#token=…`. The fragment never reaches a log. */
export default function ResetPassword() {
  const words = useWords('shell')
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token'))
  const [isDone, setDone] = useState(false)
  if (token === null || isDone)
    return (
      <Card title={words.reset.newTitle} text={isDone ? words.reset.done : words.reset.noToken}>
        <div className={styles.form}>
          <Link to="/">{words.signIn.back}</Link>
        </div>
      </Card>
    )
  return <NewPassword token={token} onDone={() => setDone(true)} />
}

function NewPassword({ token, onDone }: { token: string; onDone: () => void }) {
  const words = useWords('shell')
  const form = useForm({
    initial: { newPassword: '', keepApiTokens: false },
    validate: ({ newPassword }) => (newPassword === '' ? { newPassword: words.signIn.required } : {}),
    submit: async (fields) => {
      await send('/v1/auth/password-reset/confirm', { token, ...fields })
      onDone()
    },
  })
  return (
    <Card title={words.reset.newTitle} text={words.reset.newText}>
      <form className={styles.form} onSubmit={form.onSubmit} noValidate>
        <PasswordInput
          label={words.reset.newPassword}
          description={words.reset.newHint}
          autoComplete="new-password"
          autoFocus
          {...form.field('newPassword')}
        />
        <Checkbox
          label={words.reset.keepTokens}
          description={words.reset.keepTokensHint}
          checked={form.values.keepApiTokens}
          onChange={(event) => form.change({ keepApiTokens: event.currentTarget.checked })}
        />
        {form.failure !== null && <Refusal error={form.failure} />}
        <Button type="submit" variant="filled" fullWidth loading={form.isSubmitting}>
          {words.reset.newSubmit}
        </Button>
      </form>
    </Card>
  )
}
