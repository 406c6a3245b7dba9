import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { Failed, Loading } from '../../../parts/State.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { OrganizationField } from '../../access/OrganizationField.tsx'
import { useOrganizationId } from '../../access/use-organization-id.ts'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Firmware.module.css'
import { StateDiagram } from './StateDiagram.tsx'
import {
  checkTemplate,
  copyTemplate,
  newTemplate,
  type TemplateValues,
  writeCourse,
  writeTemplate,
} from './template.ts'
import { TemplateFields } from './TemplateFields.tsx'

const route = '/v1/firmware/deployment-templates'
/** `from` is the id of the template that is copied. */
const fields = { from: text() }

export default function CreateTemplate() {
  const [{ from }] = useUrlState(fields)
  const api = useApi()
  const copied = useQuery({
    queryKey: ['deployment-template', from],
    queryFn: ({ signal }) =>
      api.get(`${route}/{deploymentTemplateId}`, {
        path: { deploymentTemplateId: from },
        signal: withTimeout(signal),
      }),
    enabled: from !== '',
  })
  if (copied.isLoading) return <Loading />
  if (copied.error !== null && copied.data === undefined)
    return <Failed isPage error={copied.error} onRetry={() => void copied.refetch()} />
  const initial = copied.data === undefined ? newTemplate : copyTemplate(copied.data)
  return <Create key={from} name={from} initial={initial} />
}

function Create({ name, initial }: { name: string; initial: TemplateValues }) {
  const { template: words, templates, notJson } = useWords('firmware')
  const { required } = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const write = (values: TemplateValues) => ({
    ...writeTemplate(values),
    organizationId,
  })
  const form = useForm<TemplateValues>({
    draft: `deployment-template-new-${name}`,
    initial,
    validate: (values) => checkTemplate(values, { ...words, notJson, required }),
    submit: async (values) => {
      const body = { ...write(values), organizationId: await findOrganizationId() }
      const { templateId } = await api.post(route, { body, signal: withTimeout() })
      void cache.invalidateQueries({ queryKey: ['deployment-templates'] })
      void cache.invalidateQueries({ queryKey: ['picked', 'deployment-templates'] })
      form.reset()
      await router.navigate(links.deploymentTemplate(templateId) as never)
    },
  })
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'firmware_management',
    chosen: form.values.organizationId,
  })
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={words.createTitle} className={page.page}>
      <PageHead
        parent={{ title: templates, link: links.deploymentTemplates() }}
        title={words.createTitle}
        text={words.what}
        actions={<CodeExamples requests={[example('post', route, { body: write(form.values) })]} />}
      />
      <div className={styles.columns}>
        <div className={styles.fields}>
          <OrganizationField
            privilege="firmware_management"
            value={organizationId}
            onChange={(chosen) => form.change({ organizationId: chosen })}
            error={form.problem('organizationId')}
          />
          <TemplateFields form={form} />
        </div>
        <section className={styles.panel} aria-label={words.course}>
          <h2 className={styles.subtitle}>{words.course}</h2>
          <StateDiagram course={writeCourse(form.values)} />
        </section>
      </div>
      <SaveBar form={form} label={words.create} />
    </form>
  )
}
