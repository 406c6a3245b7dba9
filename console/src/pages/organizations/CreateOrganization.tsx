import { Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { PickObject } from '../access/PickObject.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Organizations.module.css'

/** Dialog that makes an organization below another one, or at the top of the tenant. */
export default function CreateOrganization({ parent, onClose }: { parent?: string; onClose: () => void }) {
  const { create: words, name, description } = useWords('organizations')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const form = useForm({
    draft: `organization-${parent ?? 'new'}`,
    initial: {
      displayName: '',
      description: '',
      parentOrganizationId: parent ?? '',
      isRoot: false,
      templateId: '',
    },
    validate: ({ displayName, parentOrganizationId, isRoot }) => ({
      ...(displayName.trim() === '' && { displayName: common.required }),
      ...(!isRoot && parentOrganizationId === '' && { parentOrganizationId: common.required }),
    }),
    submit: async (values) => {
      const { id } = await api.post('/v1/organizations', {
        body: {
          displayName: values.displayName.trim(),
          parentOrganizationId: values.isRoot ? null : values.parentOrganizationId,
          // What is left out comes from the template.
          ...(values.description.trim() !== '' && { description: values.description.trim() }),
          ...(values.templateId !== '' && { templateId: values.templateId }),
        },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['organizations'] })
      form.reset()
      onClose()
      await router.navigate(links.organization(id) as never)
    },
  })
  const { values, change } = form
  return (
    <FormDialog form={form} onClose={onClose} title={words.title}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.title}>
        <TextInput data-autofocus autoComplete="off" label={name} {...form.field('displayName')} />
        <Textarea autosize minRows={1} label={description} {...form.field('description')} />
        {!values.isRoot && (
          <PickObject
            type="organization"
            label={words.parent}
            value={values.parentOrganizationId}
            onChange={(parentOrganizationId) => change({ parentOrganizationId })}
            error={form.problem('parentOrganizationId')}
          />
        )}
        <Checkbox
          label={words.atTop}
          checked={values.isRoot}
          onChange={(event) => change({ isRoot: event.currentTarget.checked })}
        />
        <TemplateField value={values.templateId} onChange={(templateId) => change({ templateId })} />
        <SaveBar form={form} label={words.action} />
      </form>
    </FormDialog>
  )
}

const NO_TEMPLATE = 'none'

/** The template of the organization; absent where there are none, or the user may not read them. */
function TemplateField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { create: words } = useWords('organizations')
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['organization-templates', 'offered'],
    queryFn: ({ signal }) =>
      api.get('/v1/organization-templates', { query: { limit: 200 }, signal: withTimeout(signal) }),
    retry: false,
  })
  if (data.length === 0) return null
  return (
    <Select
      label={words.template}
      description={words.templateHint}
      searchable
      data={[
        { value: NO_TEMPLATE, label: words.noTemplate },
        ...data.map(({ id, displayName }) => ({ value: id, label: displayName })),
      ]}
      value={value === '' ? NO_TEMPLATE : value}
      onChange={(id) => onChange(id === NO_TEMPLATE || id === null ? '' : id)}
    />
  )
}
