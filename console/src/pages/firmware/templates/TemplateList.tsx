import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { Name } from '../../../parts/Id.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { Empty } from '../../../parts/State.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { CreateButton } from '../../access/CreateButton.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { Template } from './template.ts'

const route = '/v1/firmware/deployment-templates'
const fields = { search: text() }
const PAGE = 100

/** Deployment templates: how a release is brought to a device. */
export default function TemplateList() {
  const words = useWords('firmware')
  const { template, templates } = words
  const format = useFormat()
  const api = useApi()
  const router = useRouter()
  const [{ search }, change] = useUrlState(fields)
  const query = useMemo(() => ({ limit: PAGE, search: search || undefined }), [search])
  const source = usePagedList<Template>(['deployment-templates', query], (cursor, signal) =>
    api.page(route, { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const columns: Column<Template>[] = [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'version',
      title: template.version,
      width: 'minmax(72px, 1fr)',
      render: ({ version }) => version !== null && <Name>{version}</Name>,
    },
    {
      id: 'steps',
      title: template.steps,
      width: '88px',
      align: 'end',
      isOnPhone: true,
      render: ({ steps }) => format.number(steps.length),
    },
    {
      id: 'status',
      title: template.statusProperty,
      width: 'minmax(140px, 1.5fr)',
      render: ({ status }) => <Name>{status.statusPropertyName}</Name>,
    },
    {
      id: 'description',
      title: words.description,
      width: 'minmax(120px, 2fr)',
      render: ({ description }) => description !== null && <Name>{description}</Name>,
    },
  ]
  const create = (
    <CreateButton
      privilege="firmware_management"
      onClick={() => void router.navigate(links.newDeploymentTemplate() as never)}
    >
      {template.create}
    </CreateButton>
  )
  return (
    <ListPage
      parent={{ title: words.title, link: links.firmware() }}
      title={templates}
      text={source.rows.length === 0 ? template.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample(route, { query })]} />
          {create}
        </>
      }
    >
      <DataTable
        name="deployment-templates"
        label={templates}
        source={source}
        columns={columns}
        rowKey={({ templateId }) => templateId}
        rowName={({ displayName }) => displayName}
        rowLink={({ templateId }) => links.deploymentTemplate(templateId)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        empty={
          <Empty icon="firmware" title={template.emptyTitle} text={template.emptyText} action={create} />
        }
      />
    </ListPage>
  )
}
