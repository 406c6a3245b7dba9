import { PasswordInput, Radio, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './People.module.css'

const SHORTEST_PASSWORD = 8

/** Dialog that adds a user, by a mailed link or with a password, and then opens the page where access is given. */
export default function CreateUser({ onClose }: { onClose: () => void }) {
  const { create: words, name, email } = useWords('people')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  // No draft, since it would keep the password.
  const form = useForm({
    initial: { displayName: '', email: '', how: 'invite', password: '' },
    validate: (values) => ({
      ...(values.displayName.trim() === '' && { displayName: common.required }),
      ...(values.email.trim() === '' && { email: common.required }),
      ...(values.how === 'password' &&
        values.password.length < SHORTEST_PASSWORD && { password: words.passwordWrong }),
    }),
    submit: async (values) => {
      const user = await api.post('/v1/users', {
        body: {
          displayName: values.displayName.trim(),
          email: values.email.trim(),
          ...(values.how === 'password' && { password: values.password }),
        },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['users'] })
      form.reset()
      onClose()
      await router.navigate(links.user(user.id, { tab: 'relations' }) as never)
    },
  })
  return (
    <FormDialog form={form} onClose={onClose} title={words.title}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.title}>
        <TextInput data-autofocus autoComplete="off" label={name} {...form.field('displayName')} />
        <TextInput type="email" autoComplete="off" label={email} {...form.field('email')} />
        <Radio.Group
          label={words.how}
          value={form.values.how}
          onChange={(how) => form.change({ how, password: '' })}
        >
          <div className={styles.fields}>
            <Radio value="invite" label={words.invite} description={words.inviteHint} />
            <Radio value="password" label={words.withPassword} />
          </div>
        </Radio.Group>
        {form.values.how === 'password' && (
          <PasswordInput
            label={words.password}
            description={words.passwordHint}
            autoComplete="new-password"
            {...form.field('password')}
          />
        )}
        <p className={styles.note}>{words.nothingYet}</p>
        <SaveBar form={form} label={words.action} />
      </form>
    </FormDialog>
  )
}
