import { Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Dashboards.module.css'
import type { Dashboard } from './use-dashboard.ts'

/** Dialog for the name and the description. */
export default function RenameDashboard({
  dashboard,
  onClose,
}: {
  dashboard: Dashboard
  onClose: () => void
}) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const form = useForm({
    draft: `rename-dashboard-${dashboard.id}`,
    initial: { displayName: dashboard.displayName, description: dashboard.description ?? '' },
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async ({ displayName, description }) => {
      const changed = await api.patch('/v1/dashboards/{dashboardId}', {
        path: { dashboardId: dashboard.id },
        body: {
          displayName: displayName.trim(),
          description: description.trim() || null,
          version: dashboard.version,
        },
        signal: withTimeout(),
      })
      cache.setQueryData(['dashboard', dashboard.id], changed)
      void cache.invalidateQueries({ queryKey: ['dashboards'] })
      form.reset()
      onClose()
    },
  })
  return (
    <FormDialog form={form} onClose={onClose} title={words.rename}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.rename}>
        <TextInput data-autofocus autoComplete="off" label={words.name} {...form.field('displayName')} />
        <Textarea autosize minRows={2} label={words.description} {...form.field('description')} />
        <SaveBar form={form} label={common.save} />
      </form>
    </FormDialog>
  )
}
