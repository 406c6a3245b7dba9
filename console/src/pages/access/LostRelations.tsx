import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading, Notice } from '../../parts/State.tsx'
import type { RowSource } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import styles from './Access.module.css'
import { Impact, useImpact } from './Impact.tsx'
import { type ObjectType, type Relation, type SubjectType, type Tuple, tupleKey } from './objects.ts'
import { holderRelation, type Privilege } from './privileges.ts'
import { TupleLine } from './TupleLine.tsx'
import { useRelationsOf, useRelationsOn } from './use-relations.ts'

/** The relations that a subject loses, and what users lose with each. */
export function LostRelationsOf(subject: { type: SubjectType; id: string }) {
  const words = useWords('access')
  const { source, closed } = useRelationsOf(subject)
  return (
    <>
      {closed.length > 0 && (
        <Notice kind="info">
          {words.list.closed(closed.map((one) => words.types[one] ?? one).join(', '))}
        </Notice>
      )}
      <LostRelations source={source} />
    </>
  )
}

/** The relations that are lost with an object, and what users lose with each. */
export const LostRelationsOn = (object: { type: ObjectType; id: string }) => (
  <LostRelations source={useRelationsOn(object)} />
)

/** The relations on an organization that give one of the privileges, and a word on those on organizations above it. */
export function PrivilegeHolders({ id, privileges }: { id: string; privileges: readonly Privilege[] }) {
  const { take: words } = useWords('access')
  const source = useRelationsOn({ type: 'organization', id })
  const giving: Relation[] = ['owner', 'manager', ...privileges.map(holderRelation)]
  return (
    <>
      <RelationRows
        source={{ ...source, rows: source.rows.filter(({ relation }) => giving.includes(relation)) }}
        title={words.holders}
      >
        {(tuple) => <TupleLine tuple={tuple} />}
      </RelationRows>
      <p className={styles.note}>{words.holdersAbove}</p>
    </>
  )
}

/** Each opened relation is a request that evaluates the users whom it reaches. */
const OPENED = 3

function LostRelations({ source }: { source: RowSource<Tuple> }) {
  const { take: words } = useWords('access')
  return (
    <RelationRows source={source} title={words.lost}>
      {(tuple, index) => <LostRelation tuple={tuple} isFirstOpen={index < OPENED} />}
    </RelationRows>
  )
}

interface RowsProps {
  source: RowSource<Tuple>
  title: string
  children: (tuple: Tuple, index: number) => ReactNode
}

/** Relations below each other; the next page is read on demand. */
function RelationRows({ source, title, children }: RowsProps) {
  const { take: words } = useWords('access')
  const rows = source.rows.filter(({ relation }) => relation !== 'parent')
  if (source.isLoading) return <Loading rows={2} />
  if (source.error !== null && source.error !== undefined) return <Refusal error={source.error} />
  if (rows.length === 0 && !source.hasMore) return <p className={styles.note}>{words.noRelation}</p>
  return (
    <section className={styles.fields} aria-label={title}>
      <h3 className={styles.subtitle}>{title}</h3>
      <ul className={styles.lostRelations}>
        {rows.map((tuple, index) => (
          <li key={tupleKey(tuple)}>{children(tuple, index)}</li>
        ))}
      </ul>
      {source.hasMore && (
        <Button loading={source.isLoadingMore} onClick={source.loadMore}>
          {words.moreRelations}
        </Button>
      )}
    </section>
  )
}

function LostRelation({ tuple, isFirstOpen }: { tuple: Tuple; isFirstOpen: boolean }) {
  const { take: words } = useWords('access')
  const [isOpen, setOpen] = useState(isFirstOpen)
  return (
    <>
      <TupleLine tuple={tuple} />
      <details className={styles.lost} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.whoLoses}</summary>
        {isOpen && <ImpactOf tuple={tuple} />}
      </details>
    </>
  )
}

const ImpactOf = ({ tuple }: { tuple: Tuple }) => <Impact impact={useImpact(tuple)} />
