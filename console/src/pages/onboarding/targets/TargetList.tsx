import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { Name } from '../../../parts/Id.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Empty } from '../../../parts/State.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { findOwnProvider } from '../first-device/setup.ts'
import { SectionNav } from '../Section.tsx'
import { type Group, type Target, useEndpoints, useGroups } from '../use-groups.ts'

const fields = { search: text() }
const PAGE = 100

/** Lists the routing targets, to which devices connect. */
export default function TargetList() {
  const words = useWords('targets')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const request = { query: { limit: PAGE, search: state.search || undefined } }
  const source = usePagedList<Target>(['targets', state.search], (cursor, signal) =>
    api.page('/api/routing-targets', { query: { ...request.query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <Button
      variant="filled"
      leftSection={<Icon name="plus" />}
      renderRoot={(props) => <Link {...props} {...(links.newTarget() as { to: string })} />}
    >
      {words.create}
    </Button>
  )
  return (
    <>
      <SectionNav />
      <ListPage
        title={words.title}
        text={source.rows.length === 0 ? words.what : undefined}
        actions={
          source.error === null && (
            <>
              <CodeExamples requests={[listExample('/api/routing-targets', request)]} />
              {create}
            </>
          )
        }
      >
        <DataTable
          name="targets"
          label={words.title}
          source={source}
          columns={useColumns()}
          rowKey={({ id }) => id}
          rowName={({ name }) => name}
          rowLink={({ id }) => links.target(id)}
          search={{ value: state.search, onChange: (search) => void change({ search }), label: words.search }}
          empty={<Empty icon="onboarding" title={words.emptyTitle} text={words.emptyText} action={create} />}
        />
      </ListPage>
    </>
  )
}

function useColumns(): Column<Target>[] {
  const words = useWords('targets')
  const format = useFormat()
  const endpoints = useEndpoints()
  const { groups, isCut } = useGroups()
  const http = endpoints.data?.http
  const uses = useMemo(() => countUses(groups ?? []), [groups])
  return useMemo(
    () => [
      {
        id: 'name',
        title: words.name,
        width: 'minmax(120px, 2fr)',
        render: ({ id, name }) => (
          <PageAnchor link={links.target(id)} tabIndex={-1}>
            <Name>{name}</Name>
          </PageAnchor>
        ),
      },
      {
        id: 'broker',
        title: words.brokers,
        width: 'minmax(140px, 2fr)',
        render: ({ brokers }) => (
          <>
            <code>
              <bdi>{`${brokers[0]!.host}:${brokers[0]!.port}`}</bdi>
            </code>
            {brokers.length > 1 && ` ${words.moreBrokers(format.number(brokers.length - 1))}`}
          </>
        ),
      },
      {
        id: 'provider',
        title: words.provider,
        width: 'minmax(140px, 2fr)',
        render: (target) => {
          const own = http === undefined ? null : findOwnProvider(target, http)
          return own === null ? <Name>{target.provider_base_url}</Name> : words.ownNamed(own)
        },
      },
      {
        id: 'groups',
        title: words.groups,
        width: '88px',
        align: 'end',
        isOnPhone: true,
        render: ({ id }) =>
          groups !== undefined && (
            <PageAnchor link={links.target(id, { tab: 'groups' })} tabIndex={-1}>
              {format.number(uses.get(id) ?? 0)}
              {isCut && '+'}
            </PageAnchor>
          ),
      },
      {
        id: 'created',
        title: words.created,
        width: 'minmax(104px, 140px)',
        render: ({ created_at }) => <RelativeTime at={created_at} />,
      },
    ],
    [words, format, http, groups, uses, isCut],
  )
}

function countUses(groups: Group[]): Map<string, number> {
  const uses = new Map<string, number>()
  for (const { routing_target_id: id } of groups) uses.set(id, (uses.get(id) ?? 0) + 1)
  return uses
}
