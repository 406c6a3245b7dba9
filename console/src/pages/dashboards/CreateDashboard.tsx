import { Button, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { withTimeout } from '../devices/timeout.ts'
import type { Data } from './board/board.ts'
import styles from './Dashboards.module.css'
import { readImport } from './exported.ts'

/** Dialog that creates a dashboard, empty or from an exported file, and opens its editor. */
export default function CreateDashboard({ onClose }: { onClose: () => void }) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [imported, setImported] = useState<Data | null>(null)
  const [problem, setProblem] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const form = useForm({
    initial: { displayName: '', description: '', organizationId: '' },
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async ({ displayName, description }) => {
      const made = await api.post('/v1/dashboards', {
        body: {
          displayName: displayName.trim(),
          description: description.trim() || null,
          organizationId: await findOrganizationId(),
          data: imported ?? { version: 1, widgets: [] },
        },
        signal: withTimeout(),
      })
      await cache.invalidateQueries({ queryKey: ['dashboards'] })
      form.reset()
      onClose()
      await router.navigate(links.editDashboard(made.id) as never)
    },
  })
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'dashboard_management',
    chosen: form.values.organizationId,
  })
  const isImported = imported !== null
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    const found = readImport(await file.text())
    setProblem(found === null ? words.importFailed : '')
    setImported(found?.data ?? null)
    if (found?.displayName !== undefined && form.values.displayName === '')
      form.change({ displayName: found.displayName })
    if (found?.description !== undefined && form.values.description === '')
      form.change({ description: found.description })
  }
  return (
    <FormDialog
      form={isImported ? { ...form, isChanged: true } : form}
      onClose={onClose}
      title={words.create}
    >
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.create}>
        <TextInput data-autofocus autoComplete="off" label={words.name} {...form.field('displayName')} />
        <Textarea autosize minRows={2} label={words.description} {...form.field('description')} />
        <OrganizationField
          privilege="dashboard_management"
          value={organizationId}
          onChange={(chosen) => form.change({ organizationId: chosen })}
          error={form.problem('organizationId')}
        />
        <div className={styles.bar}>
          <Button onClick={() => input.current?.click()}>{words.importFile}</Button>
          <input
            ref={input}
            type="file"
            accept="application/json,.json"
            hidden
            aria-label={words.importFile}
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
          <span role="status" className={styles.note}>
            {problem || (imported !== null && words.imported)}
          </span>
        </div>
        <SaveBar form={form} label={words.create} />
      </form>
    </FormDialog>
  )
}
