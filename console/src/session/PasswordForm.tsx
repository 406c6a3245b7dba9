import { Button, PasswordInput, TextInput } from '@mantine/core'
import { Refusal } from '../parts/Refusal.tsx'
import { useForm } from '../parts/form/use-form.ts'
import { useWords } from '../words/words.tsx'
import styles from './Card.module.css'
import { rememberIssuerTenant } from './oidc.ts'
import { useSession } from './SessionProvider.tsx'

/** @param email of the one whose sign-in ended, who need not type it again */
export function PasswordForm({ email }: { email?: string | null }) {
  const words = useWords('shell').signIn
  const session = useSession()
  const form = useForm({
    initial: { username: email ?? '', password: '' },
    validate: ({ username, password }) => ({
      ...(username.trim() === '' && { username: words.required }),
      ...(password === '' && { password: words.required }),
    }),
    submit: async ({ username, password }) => {
      await session.signIn('/v1/auth/login', { username: username.trim(), password })
      rememberIssuerTenant(null)
    },
  })
  return (
    <form className={styles.form} onSubmit={form.onSubmit} noValidate>
      <TextInput
        label={words.email}
        type="email"
        autoComplete="username"
        data-autofocus={email ? undefined : true}
        autoFocus={!email}
        {...form.field('username')}
      />
      <PasswordInput
        label={words.password}
        autoComplete="current-password"
        autoFocus={Boolean(email)}
        {...form.field('password')}
      />
      {form.failure !== null && <Refusal error={form.failure} />}
      <Button type="submit" variant="filled" fullWidth loading={form.isSubmitting}>
        {words.submit}
      </Button>
    </form>
  )
}
