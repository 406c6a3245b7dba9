import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { Icon } from '../../parts/Icon.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { WhyNot } from '../models/WhyNot.tsx'
import styles from './Access.module.css'
import { isListed, type ListedType, type ObjectType, type SubjectType, type Tuple } from './objects.ts'
import { RelationTable } from './RelationTable.tsx'
import { useRelationsOf, useRelationsOn } from './use-relations.ts'

const GiveDialog = lazyPart(() => import('./GiveDialog.tsx'))

/** The relations on an object, with a button that gives one. */
export function RelationsOn({ type, id }: { type: ObjectType; id: string }) {
  const words = useWords('access')
  const source = useRelationsOn({ type, id })
  const given = { resourceType: type, resourceId: id }
  return (
    <div className={styles.tab}>
      <Head text={words.list.ofResource}>
        {isListed(type) ? <GiveIfShared type={type} id={id} /> : <GiveButton given={given} />}
      </Head>
      <RelationTable source={source} of="resource" />
    </div>
  )
}

/** The relations that a subject has, with a button that gives it one. */
export function RelationsOf({ type, id }: { type: SubjectType; id: string }) {
  const words = useWords('access')
  const { source, closed } = useRelationsOf({ type, id })
  return (
    <div className={styles.tab}>
      <Head text={words.list.ofSubject}>
        <GiveButton given={{ subjectType: type, subjectId: id }} />
      </Head>
      <RelationTable
        source={source}
        of="subject"
        partial={
          closed.length > 0
            ? words.list.closed(closed.map((one) => words.types[one] ?? one).join(', '))
            : undefined
        }
      />
    </div>
  )
}

const Head = ({ text, children }: { text: string; children: ReactNode }) => (
  <div className={styles.tabHead}>
    <p className={styles.note}>{text}</p>
    {children}
  </div>
)

/** Writing relations takes the permission to share the object. */
function GiveIfShared({ type, id }: { type: ListedType; id: string }) {
  const words = useWords('access')
  const asked = { resourceType: type, resourceId: id, permission: 'share' } as const
  const mayShare = useExplainedPermission(asked).data?.result
  return (
    <>
      {mayShare === false && (
        <span className={styles.note}>
          {words.list.mayNotGive} <WhyNot reason={words.list.mayNotGive} asked={asked} />
        </span>
      )}
      <GiveButton given={{ resourceType: type, resourceId: id }} isDisabled={mayShare !== true} />
    </>
  )
}

function GiveButton({ given, isDisabled }: { given: Partial<Tuple>; isDisabled?: boolean }) {
  const words = useWords('access')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button leftSection={<Icon name="plus" />} disabled={isDisabled} onClick={() => setOpen(true)}>
        {words.list.give}
      </Button>
      {isOpen && (
        <PartBoundary>
          <GiveDialog given={given} onClose={() => setOpen(false)} />
        </PartBoundary>
      )}
    </>
  )
}
