import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { links } from '../../../links.ts'
import { Name } from '../../../parts/Id.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Empty } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import { shownRows } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Group, Target } from '../use-groups.ts'

interface Props {
  target: Target
  using: Group[] | undefined
  /** Whether there may be more groups than the listed ones. */
  isCut: boolean
  /** How the groups were loaded, which needs another privilege than the target. */
  query: { error: unknown; refetch: () => unknown }
}

/** The groups that use this target. */
export function UsingGroups({ target, using, isCut, query }: Props) {
  const words = useWords('targets')
  const groups = useWords('groups')
  const shared = useWords('onboarding')
  return (
    <DataTable
      name="groups-of-target"
      label={words.groups}
      source={{
        ...shownRows(using ?? [], { isLoading: using === undefined && query.error === null }),
        error: query.error,
        refresh: () => void query.refetch(),
      }}
      rowKey={({ id }) => id}
      rowName={({ name }) => name}
      rowLink={({ id }) => links.group(id)}
      partial={isCut ? shared.first1000 : undefined}
      columns={[
        {
          id: 'name',
          title: groups.name,
          width: 'minmax(120px, 2fr)',
          render: ({ id, name }) => (
            <PageAnchor link={links.group(id)} tabIndex={-1}>
              <Name>{name}</Name>
            </PageAnchor>
          ),
        },
        {
          id: 'status',
          title: groups.status,
          width: 'minmax(112px, 160px)',
          isOnPhone: true,
          render: ({ status }) => (
            <StateMark state={status === 'enabled' ? 'good' : 'off'}>{groups.states[status]}</StateMark>
          ),
        },
        {
          id: 'created',
          title: groups.created,
          width: 'minmax(104px, 160px)',
          render: ({ created_at }) => <RelativeTime at={created_at} />,
        },
      ]}
      empty={
        <Empty
          icon="onboarding"
          title={words.unusedTitle}
          text={words.unusedText}
          action={
            <Button
              variant="filled"
              renderRoot={(props) => (
                <Link {...props} {...(links.newGroup({ target: target.id }) as { to: string })} />
              )}
            >
              {shared.createGroup}
            </Button>
          }
        />
      }
    />
  )
}
