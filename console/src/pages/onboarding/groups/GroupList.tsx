import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { Name } from '../../../parts/Id.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Empty } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { SectionNav } from '../Section.tsx'
import { type Group, useTargets } from '../use-groups.ts'

const fields = { search: text() }
const PAGE = 100

/** Lists enrollment groups: devices that share a response template. */
export default function GroupList() {
  const words = useWords('groups')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const request = { query: { limit: PAGE, search: state.search || undefined } }
  const source = usePagedList<Group>(['groups', 'list', state.search], (cursor, signal) =>
    api.page('/api/enrollment-groups', { query: { ...request.query, cursor }, signal: withTimeout(signal) }),
  )
  const create = (
    <Button
      variant="filled"
      leftSection={<Icon name="plus" />}
      renderRoot={(props) => <Link {...props} {...(links.newGroup() as { to: string })} />}
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
              <CodeExamples requests={[listExample('/api/enrollment-groups', request)]} />
              {create}
            </>
          )
        }
      >
        <DataTable
          name="groups"
          label={words.title}
          source={source}
          columns={useColumns()}
          rowKey={({ id }) => id}
          rowName={({ name }) => name}
          rowLink={({ id }) => links.group(id)}
          search={{ value: state.search, onChange: (search) => void change({ search }), label: words.search }}
          empty={<Empty icon="onboarding" title={words.emptyTitle} text={words.emptyText} action={create} />}
        />
      </ListPage>
    </>
  )
}

function useColumns(): Column<Group>[] {
  const words = useWords('groups')
  const { targets } = useTargets()
  const names = useMemo(() => new Map(targets?.map(({ id, name }) => [id, name])), [targets])
  return useMemo(
    () => [
      {
        id: 'name',
        title: words.name,
        width: 'minmax(120px, 2fr)',
        render: ({ id, name }) => (
          <PageAnchor link={links.group(id)} tabIndex={-1}>
            <Name>{name}</Name>
          </PageAnchor>
        ),
      },
      {
        id: 'status',
        title: words.status,
        width: 'minmax(112px, 140px)',
        isOnPhone: true,
        render: ({ status }) => (
          <StateMark state={status === 'enabled' ? 'good' : 'off'}>{words.states[status]}</StateMark>
        ),
      },
      {
        id: 'target',
        title: words.target,
        width: 'minmax(120px, 2fr)',
        render: ({ routing_target_id: id }) => (
          <PageAnchor link={links.target(id)} tabIndex={-1}>
            <Name>{names.get(id) ?? id}</Name>
          </PageAnchor>
        ),
      },
      {
        id: 'devices',
        title: words.devices,
        width: 'minmax(96px, 120px)',
        render: ({ id }) => (
          <PageAnchor link={links.onboardingDevices({ group: id })} tabIndex={-1}>
            {words.seeDevices}
          </PageAnchor>
        ),
      },
      {
        id: 'policy',
        title: words.policy,
        width: 'minmax(140px, 1fr)',
        render: ({ key_policy }) => words.policies[key_policy],
      },
      {
        id: 'offline',
        title: words.offline,
        isOptional: true,
        render: ({ offline_settings }) => (offline_settings ? words.on : words.off),
      },
      {
        id: 'created',
        title: words.created,
        width: 'minmax(104px, 140px)',
        render: ({ created_at }) => <RelativeTime at={created_at} />,
      },
    ],
    [words, names],
  )
}
