import type { Gangway } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { RowSource } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { listTree, type Organization, type OrganizationRow } from './tree.ts'
import { useOrganizationColumns } from './use-organization-columns.tsx'

const CreateOrganization = lazyPart(() => import('./CreateOrganization.tsx'))

const fields = { search: text() }
const PAGE = 100
/** A tree is drawn from all organizations; more than these are found by the search. */
const MOST_IN_TREE = 2000
const TREE_TIMEOUT_MS = 60_000

/** The tree of organizations that the user may view; a search lists those that it finds. */
export default function OrganizationList() {
  const words = useWords('organizations')
  const format = useFormat()
  const [{ search }, change] = useUrlState(fields)
  const [isCreating, setCreating] = useState(false)
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const tree = useTree(search === '', closed)
  const found = useFound(search)
  const source = search === '' ? tree.source : found
  const toggle = (id: string) =>
    setClosed((present) => {
      const next = new Set(present)
      if (!next.delete(id)) next.add(id)
      return next
    })
  const create = (
    <CreateButton privilege="organization_management" onClick={() => setCreating(true)}>
      {words.create.action}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples
            requests={[listExample('/v1/organizations', { query: { search: search || undefined } })]}
          />
          {create}
        </>
      }
    >
      <DataTable
        name="organizations"
        label={words.title}
        source={source}
        columns={useOrganizationColumns(toggle)}
        rowKey={({ organization }) => organization.id}
        rowName={({ organization }) => organization.displayName}
        rowLink={({ organization }) => links.organization(organization.id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        partial={search === '' && tree.isCut ? words.firstOf(format.number(MOST_IN_TREE)) : undefined}
        empty={<Empty icon="organization" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
      {isCreating && (
        <PartBoundary>
          <CreateOrganization onClose={() => setCreating(false)} />
        </PartBoundary>
      )}
    </ListPage>
  )
}

function useTree(isEnabled: boolean, closed: ReadonlySet<string>) {
  const api = useApi()
  const all = useQuery({
    queryKey: ['organizations', 'tree'],
    queryFn: ({ signal }) => readAll(api, withTimeout(signal, TREE_TIMEOUT_MS)),
    enabled: isEnabled,
  })
  const source: RowSource<OrganizationRow> = {
    rows: listTree(all.data?.organizations ?? [], closed),
    isLoading: all.isPending,
    error: all.error,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => {},
    refresh: () => void all.refetch(),
    ...(all.dataUpdatedAt > 0 && { asOfMs: all.dataUpdatedAt }),
  }
  return { source, isCut: all.data?.isCut ?? false }
}

async function readAll(api: Gangway, signal: AbortSignal) {
  const organizations: Organization[] = []
  for await (const organization of api.list('/v1/organizations', { query: { limit: 500 }, signal })) {
    if (organizations.length === MOST_IN_TREE) return { organizations, isCut: true }
    organizations.push(organization)
  }
  return { organizations, isCut: false }
}

function useFound(search: string): RowSource<OrganizationRow> {
  const api = useApi()
  return usePagedList<OrganizationRow>(
    ['organizations', 'found', search],
    async (cursor, signal) => {
      const query = { limit: PAGE, search, cursor }
      const page = await api.page('/v1/organizations', { query, signal: withTimeout(signal) })
      const items = page.items.map((organization) => ({
        organization,
        depth: 0,
        hasChildren: false,
        isOpen: false,
      }))
      return { items, cursor: page.cursor }
    },
    { isEnabled: search !== '' },
  )
}
