import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { withTimeout } from '../devices/timeout.ts'
import { type ContactGroupValues, newContactGroup, writeGroup } from './contact-group.ts'
import { ContactGroupFields } from './ContactGroupFields.tsx'

export default function CreateContactGroup() {
  const { group: words } = useWords('notifications')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const write = (values: ContactGroupValues) => ({
    ...writeGroup(values),
    organizationId,
  })
  const form = useForm<ContactGroupValues>({
    draft: 'contact-group-new',
    initial: newContactGroup,
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async (values) => {
      const body = { ...write(values), organizationId: await findOrganizationId() }
      const { id } = await api.post('/v1/contactgroups', { body, signal: withTimeout() })
      void cache.invalidateQueries({ queryKey: ['contact-groups'] })
      form.reset()
      await router.navigate(links.contactGroup(id) as never)
    },
  })
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'contact_group_management',
    chosen: form.values.organizationId,
  })
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={words.createTitle} className={page.page}>
      <PageHead
        parent={{ title: words.title, link: links.contactGroups() }}
        title={words.createTitle}
        text={words.what}
        actions={
          <CodeExamples requests={[example('post', '/v1/contactgroups', { body: write(form.values) })]} />
        }
      />
      <OrganizationField
        privilege="contact_group_management"
        value={organizationId}
        onChange={(chosen) => form.change({ organizationId: chosen })}
        error={form.problem('organizationId')}
      />
      <ContactGroupFields form={form} isReadOnly={form.isSubmitting} />
      <SaveBar form={form} label={words.create} />
    </form>
  )
}
