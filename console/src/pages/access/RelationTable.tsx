import { Button } from '@mantine/core'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column, RowSource } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import styles from './Access.module.css'
import { ObjectName, useObjectName } from './ObjectName.tsx'
import { type Tuple, tupleKey } from './objects.ts'

const TakeDialog = lazyPart(() => import('./TakeDialog.tsx'))

interface Props {
  source: RowSource<Tuple>
  /** Which end of the relations is the same in all rows, and therefore not shown. */
  of: 'subject' | 'resource'
  partial?: string | undefined
}

/** Relations of one subject, or on one object, each of which can be taken away. */
export function RelationTable({ source, of, partial }: Props) {
  const words = useWords('access')
  const common = useWords('common')
  const [taken, setTaken] = useState<Tuple | null>(null)
  const other: Column<Tuple> =
    of === 'subject'
      ? {
          id: 'resource',
          title: words.resource,
          width: 'minmax(140px, 3fr)',
          render: ({ resourceType, resourceId }) => (
            <ObjectName type={resourceType} id={resourceId} withType />
          ),
        }
      : {
          id: 'subject',
          title: words.subject,
          width: 'minmax(140px, 3fr)',
          render: ({ subjectType, subjectId }) => <ObjectName type={subjectType} id={subjectId} withType />,
        }
  const columns: Column<Tuple>[] = [
    other,
    {
      id: 'relation',
      title: words.relation,
      width: 'minmax(96px, 1.5fr)',
      isOnPhone: true,
      render: ({ relation }) => words.relations[relation] ?? relation,
    },
    {
      id: 'actions',
      title: common.actions,
      width: 'minmax(112px, 168px)',
      align: 'end',
      isOnPhone: true,
      render: (tuple) =>
        tuple.relation === 'parent' ? (
          <span className={styles.note}>{words.list.byPlatform}</span>
        ) : (
          <TakeButton tuple={tuple} of={of} onTake={() => setTaken(tuple)} />
        ),
    },
  ]
  return (
    <>
      <DataTable
        name={`relations-${of}`}
        label={words.list.label}
        source={source}
        columns={columns}
        rowKey={tupleKey}
        rowName={({ relation, subjectId, resourceId }) =>
          `${words.relations[relation]} ${of === 'subject' ? resourceId : subjectId}`
        }
        partial={partial}
        empty={
          <Empty
            icon="key"
            title={words.list.noneTitle}
            text={of === 'subject' ? words.list.noneOfSubject : words.list.noneOfResource}
          />
        }
      />
      {taken !== null && (
        <PartBoundary>
          <TakeDialog tuple={taken} onClose={() => setTaken(null)} />
        </PartBoundary>
      )}
    </>
  )
}

function TakeButton({ tuple, of, onTake }: { tuple: Tuple; of: Props['of']; onTake: () => void }) {
  const { list: words, relations } = useWords('access')
  const other =
    of === 'subject'
      ? { type: tuple.resourceType, id: tuple.resourceId }
      : { type: tuple.subjectType, id: tuple.subjectId }
  const { data } = useObjectName(other)
  const relation = relations[tuple.relation] ?? tuple.relation
  return (
    <Button size="compact-xs" aria-label={words.takeOf(relation, data?.name ?? other.id)} onClick={onTake}>
      {words.take}
    </Button>
  )
}
