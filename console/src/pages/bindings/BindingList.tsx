import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import layout from '../../parts/layout/Page.module.css'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Filter } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { choice, text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { type EndpointRow, kinds, labelEndpoint, listRows } from './binding.ts'
import { useBindingColumns } from './use-binding-columns.tsx'
import { managePermission, useBindings, useMayManage } from './use-bindings.ts'

const BindByName = lazyPart(() => import('./BindByName.tsx'))

const states = ['failing', 'bound', 'unbound', 'ignored'] as const
const fields = { search: text(), state: choice(['', ...states]), kind: choice(['', ...kinds]) }

export default function BindingList() {
  const { assetId } = useParams({ strict: false }) as { assetId: string }
  const words = useWords('bindings')
  const common = useWords('common')
  const format = useFormat()
  const [state, change] = useUrlState(fields)
  const [isBinding, byName] = useDisclosure()
  const [isWhyOpen, why] = useDisclosure()
  const { bindings, asset } = useBindings(assetId)
  const mayManage = useMayManage(assetId)
  const columns = useBindingColumns()
  const all = useMemo(() => (bindings.data ? listRows(bindings.data) : []), [bindings.data])
  if (bindings.isPending) return <Loading />
  if (bindings.data === undefined)
    return <Failed error={bindings.error} onRetry={() => void bindings.refetch()} />
  const wanted = state.search.toLocaleLowerCase()
  const rows = all.filter(
    (row) =>
      (state.state === '' || row.state === state.state) &&
      (state.kind === '' || row.kind === state.kind) &&
      searchedText(row).includes(wanted),
  )
  const count = (of: EndpointRow['state']) => all.filter((row) => row.state === of).length
  const filters: Filter[] = [
    {
      id: 'state',
      label: words.state,
      options: states.map((value) => ({
        value,
        label: `${words.states[value]} (${format.number(count(value))})`,
      })),
      value: state.state,
      onChange: (next) => void change({ state: next as (typeof state)['state'] }),
    },
    {
      id: 'kind',
      label: words.kind,
      options: kinds.map((value) => ({ value, label: words.kinds[value] })),
      value: state.kind,
      onChange: (next) => void change({ kind: next as (typeof state)['kind'] }),
    },
  ]
  const name = asset.data?.displayName ?? assetId
  return (
    <div className={layout.page} data-fill>
      <PageHead
        parent={{ title: name, link: links.asset(assetId) }}
        title={words.title(name)}
        text={words.what}
        actions={
          <>
            <CodeExamples
              requests={[example('get', '/v1/assets/{assetId}/bindings', { path: { assetId } })]}
            />
            {mayManage === false && <WhyButton onClick={why.open} />}
            <Button leftSection={<Icon name="plus" />} disabled={mayManage !== true} onClick={byName.open}>
              {words.byName.action}
            </Button>
          </>
        }
      />
      {bindings.error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
      {mayManage === false && <Notice kind="info">{words.readOnly}</Notice>}
      <DataTable
        name="bindings"
        label={words.title(name)}
        source={shownRows(rows)}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={labelEndpoint}
        rowLink={(row) => links.binding(assetId, row)}
        search={{ value: state.search, onChange: (search) => void change({ search }), label: words.search }}
        filters={filters}
        empty={<Empty icon="models" title={words.emptyTitle} text={words.emptyText} />}
      />
      {isBinding && (
        <PartBoundary>
          <BindByName assetId={assetId} unbound={count('unbound')} onClose={byName.close} />
        </PartBoundary>
      )}
      <WhyPanel
        isOpen={isWhyOpen}
        onClose={why.close}
        reason={words.readOnly}
        permission={managePermission(assetId)}
      />
    </div>
  )
}

const searchedText = ({ id, binding }: EndpointRow) =>
  [id, ...(binding?.remoteEndpointIds.map(({ endpointId }) => endpointId) ?? [])]
    .join(' ')
    .toLocaleLowerCase()
