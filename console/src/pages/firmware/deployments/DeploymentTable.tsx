import type { ReactNode } from 'react'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { Name } from '../../../parts/Id.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column, Filter, RowSource, Search } from '../../../parts/table/types.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { CountBar } from './CountBar.tsx'
import { countEnded, countFailing, type Deployment, deploymentMarks } from './deployment.ts'

interface Props {
  source: RowSource<Deployment>
  label: string
  search?: Search
  filters?: Filter[]
  empty: ReactNode
}

export const DeploymentTable = (props: Props) => (
  <DataTable
    {...props}
    name="deployments"
    columns={useColumns()}
    rowKey={({ id }) => id}
    rowName={({ displayName }) => displayName}
    rowLink={({ id }) => links.deployment(id)}
  />
)

function useColumns(): Column<Deployment>[] {
  const words = useWords('deployments')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(120px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(112px, 136px)',
      isOnPhone: true,
      render: ({ status }) => <StateMark state={deploymentMarks[status]}>{words.states[status]}</StateMark>,
    },
    {
      id: 'release',
      title: words.release,
      width: 'minmax(96px, 1.2fr)',
      render: ({ releaseName }) => <Name>{releaseName}</Name>,
    },
    {
      id: 'progress',
      title: words.progress,
      width: 'minmax(120px, 1.2fr)',
      render: ({ counts, total }) => (
        <>
          {words.done(format.number(countEnded(counts)), format.number(total))}
          <CountBar counts={counts} />
        </>
      ),
    },
    {
      id: 'failing',
      title: words.failing,
      width: '96px',
      align: 'end',
      render: ({ id, counts }) =>
        countFailing(counts) === 0 ? (
          format.number(0)
        ) : (
          <PageAnchor link={links.deployment(id, { tab: 'failing' })} tabIndex={-1}>
            {format.number(countFailing(counts))}
          </PageAnchor>
        ),
    },
    {
      id: 'started',
      title: words.started,
      width: 'minmax(96px, 144px)',
      render: ({ startedAt }) => (startedAt === null ? words.notYet : <RelativeTime at={startedAt} />),
    },
    {
      id: 'created',
      title: words.created,
      width: 'minmax(96px, 144px)',
      isOptional: true,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ]
}
