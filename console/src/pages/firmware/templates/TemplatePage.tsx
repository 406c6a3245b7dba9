import { useQuery } from '@tanstack/react-query'
import { useParams, useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { DeleteButton } from '../../../parts/DeleteButton.tsx'
import { CodeBlock } from '../../../parts/code/CodeBlock.tsx'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { Id } from '../../../parts/Id.tsx'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { useWords } from '../../../words/words.tsx'
import { CreateButton } from '../../access/CreateButton.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { WhyNot } from '../../models/WhyNot.tsx'
import styles from '../Firmware.module.css'
import { StateDiagram } from './StateDiagram.tsx'
import type { Template } from './template.ts'

const route = '/v1/firmware/deployment-templates/{deploymentTemplateId}'

export default function TemplatePage() {
  const { templateId } = useParams({ strict: false }) as { templateId: string }
  const api = useApi()
  const template = useQuery({
    queryKey: ['deployment-template', templateId],
    queryFn: ({ signal }) =>
      api.get(route, { path: { deploymentTemplateId: templateId }, signal: withTimeout(signal) }),
  })
  if (template.isPending) return <Loading />
  if (template.data === undefined)
    return <Failed isPage error={template.error} onRetry={() => void template.refetch()} />
  return <Detail template={template.data} />
}

function Detail({ template }: { template: Template }) {
  const { template: words, templates, description: descriptionLabel, id: idLabel } = useWords('firmware')
  const { pages } = useWords('shell')
  const router = useRouter()
  const { templateId, displayName, version, description, steps, status } = template
  const asked = { resourceType: 'firmware', resourceId: templateId, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  return (
    <div className={page.page}>
      <PageHead
        parent={{ title: templates, link: links.deploymentTemplates() }}
        title={displayName}
        text={words.again}
        actions={
          <>
            <CodeExamples
              requests={[example('get', route, { path: { deploymentTemplateId: templateId } })]}
            />
            <CreateButton
              isPlain
              privilege="firmware_management"
              onClick={() => void router.navigate(links.newDeploymentTemplate({ from: templateId }) as never)}
            >
              {words.copy}
            </CreateButton>
            <DeleteTemplate template={template} isDisabled={mayManage !== true} />
          </>
        }
      />
      {mayManage === false && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
      <div className={styles.columns}>
        <section className={styles.panel} aria-label={words.course}>
          <h2 className={styles.subtitle}>{words.course}</h2>
          <StateDiagram course={template} />
        </section>
        <section className={styles.block} aria-label={words.json}>
          <Facts
            entries={[
              ...(version === null ? [] : ([[words.version, <bdi key="v">{version}</bdi>]] as Fact[])),
              ...(description === null
                ? []
                : ([[descriptionLabel, <bdi key="d">{description}</bdi>]] as Fact[])),
              [idLabel, <Id key="id" value={templateId} name={idLabel} />],
              [
                pages.access,
                <PageAnchor key="access" link={links.access('firmware', templateId)}>
                  {pages.access}
                </PageAnchor>,
              ],
            ]}
          />
          <h2 className={styles.subtitle}>{words.json}</h2>
          <CodeBlock code={JSON.stringify({ steps, status }, null, 2)} name={words.json} />
        </section>
      </div>
    </div>
  )
}

type Fact = [name: string, value: React.ReactNode]

function DeleteTemplate({ template, isDisabled }: { template: Template; isDisabled: boolean }) {
  const { template: words } = useWords('firmware')
  const api = useApi()
  const { templateId, displayName } = template
  const path = { deploymentTemplateId: templateId }
  return (
    <DeleteButton
      action={words.delete}
      title={words.deleteTitle}
      name={displayName}
      isDisabled={isDisabled}
      onDelete={() => api.delete(route, { path, signal: withTimeout() })}
      next={links.deploymentTemplates()}
      cached={{ one: ['deployment-template', templateId], lists: ['deployment-templates'] }}
    >
      {words.deleteText}
    </DeleteButton>
  )
}
