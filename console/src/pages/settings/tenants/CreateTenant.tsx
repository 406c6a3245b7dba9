import { PasswordInput, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { FormDialog } from '../../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Settings.module.css'
import { type Plan, plans } from './tenant.ts'

interface Values {
  id: string
  displayName: string
  plan: Plan
  'administrator.displayName': string
  'administrator.email': string
  'administrator.password': string
}

/** Dialog that creates a tenant with its first administrator. */
export default function CreateTenant({ onClose }: { onClose: () => void }) {
  const { tenants: words } = useWords('settings')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const form = useForm<Values>({
    // Without a draft, since it has a password.
    initial: {
      id: '',
      displayName: '',
      plan: 'standard',
      'administrator.displayName': '',
      'administrator.email': '',
      'administrator.password': '',
    },
    validate: (values) =>
      Object.fromEntries(
        Object.entries(values)
          .filter(([, value]) => value.trim() === '')
          .map(([name]) => [name, common.required]),
      ),
    submit: async (values) => {
      const { id } = await api.post('/v1/tenants', {
        body: {
          id: values.id.trim(),
          displayName: values.displayName.trim(),
          plan: values.plan,
          administrator: {
            displayName: values['administrator.displayName'].trim(),
            email: values['administrator.email'].trim(),
            password: values['administrator.password'],
          },
        },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['tenants'] })
      form.reset()
      onClose()
      await router.navigate(links.tenant(id) as never)
    },
  })
  return (
    <FormDialog form={form} onClose={onClose} title={words.create}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.create}>
        <TextInput
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          label={words.id}
          description={words.idHint}
          {...form.field('id')}
        />
        <TextInput autoComplete="off" label={words.name} {...form.field('displayName')} />
        <Select
          label={words.plan}
          data={plans.map((plan) => ({ value: plan, label: words.plans[plan] }))}
          value={form.values.plan}
          onChange={(plan) => plan !== null && form.change({ plan: plan as Plan })}
        />
        <TextInput
          autoComplete="off"
          label={words.administrator}
          {...form.field('administrator.displayName')}
        />
        <TextInput
          autoComplete="off"
          type="email"
          label={words.email}
          {...form.field('administrator.email')}
        />
        <PasswordInput
          autoComplete="new-password"
          label={words.password}
          description={words.passwordHint}
          {...form.field('administrator.password')}
        />
        <SaveBar form={form} label={words.create} />
      </form>
    </FormDialog>
  )
}
