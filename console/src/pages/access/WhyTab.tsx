import { Button, Select } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { choice, text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Access.module.css'
import {
  type ListedType,
  type Permission,
  permissions,
  subjectKinds,
  type Tuple,
  tupleKey,
} from './objects.ts'
import { ObjectName } from './ObjectName.tsx'
import { Path } from './Path.tsx'
import { PickObject } from './PickObject.tsx'
import { TupleLine } from './TupleLine.tsx'

const GiveDialog = lazyPart(() => import('./GiveDialog.tsx'))

type Explanation = Schemas['Explanation']
const fields = { permission: choice(permissions), by: choice(subjectKinds), subject: text() }

/** The question in the address; its `subjectId` is empty until a subject is chosen, who is the user at first. */
export function useWhyQuestion({ type, id }: { type: ListedType; id: string }) {
  const user = useUser()
  const [{ permission, by, subject }, change] = useUrlState(fields)
  const subjectId = subject || (by === 'user' ? user.id : '')
  const body = { subjectType: by, subjectId, resourceType: type, resourceId: id, permission }
  return { body, change }
}

/** Why a subject has a permission on an object, as a path of relations, or what would give it. */
export function WhyTab(props: { type: ListedType; id: string }) {
  const words = useWords('access')
  const api = useApi()
  const { body, change } = useWhyQuestion(props)
  const { subjectType: by, subjectId, permission } = body
  const answer = useQuery({
    queryKey: ['explain', body],
    queryFn: ({ signal }) => api.post('/v1/permissions/explain', { body, signal: withTimeout(signal) }),
    enabled: subjectId !== '',
  })
  return (
    <div className={styles.why}>
      <div className={styles.question} role="group" aria-label={words.why.title}>
        <Select
          label={words.subjectType}
          data={subjectKinds.map((value) => ({ value, label: words.types[value]! }))}
          value={by}
          onChange={(next) => next !== null && void change({ by: next as typeof by, subject: '' })}
        />
        <PickObject
          key={by}
          type={by}
          label={words.why.who}
          value={subjectId}
          onChange={(next) => void change({ subject: next })}
        />
        <Select
          label={words.permission}
          data={permissions.map((value) => ({ value, label: words.permissions[value] }))}
          value={permission}
          onChange={(next) => next !== null && void change({ permission: next as Permission })}
        />
      </div>
      {subjectId !== '' && answer.isPending && <Loading rows={3} />}
      {answer.error !== null && <Refusal error={answer.error} />}
      {answer.data !== undefined && <Answered answer={answer.data} />}
    </div>
  )
}

function Answered({ answer }: { answer: Explanation }) {
  const words = useWords('access')
  const permission = words.permissions[answer.permission]
  return (
    <section
      className={styles.answer}
      aria-label={answer.result ? words.why.can(permission) : words.why.cannot(permission)}
    >
      <StateMark state={answer.result ? 'good' : 'bad'}>
        {answer.result ? words.why.can(permission) : words.why.cannot(permission)}
      </StateMark>
      <Path
        from={{ type: answer.subjectType, id: answer.subjectId }}
        to={{ type: answer.resourceType, id: answer.resourceId }}
        chain={answer.chain}
      />
      {!answer.result && <Ways answer={answer} />}
    </section>
  )
}

/** Relations that would give the permission, and privileges that are not effective. */
function Ways({ answer: { missing, withoutPrivilege } }: { answer: Explanation }) {
  const words = useWords('access')
  const [given, setGiven] = useState<Tuple | null>(null)
  return (
    <>
      {missing.length === 0 && <p>{words.why.noWay}</p>}
      {missing.length > 0 && (
        <>
          <h2 className={styles.subtitle}>{words.why.missing}</h2>
          <ul className={styles.ways}>
            {missing.map((tuple) => (
              <li key={tupleKey(tuple)}>
                <TupleLine tuple={tuple} />
                <Button size="compact-xs" onClick={() => setGiven(tuple)}>
                  {words.why.give}
                </Button>
              </li>
            ))}
          </ul>
        </>
      )}
      {withoutPrivilege.length > 0 && (
        <>
          <h2 className={styles.subtitle}>{words.why.without}</h2>
          <ul className={styles.ways}>
            {withoutPrivilege.map(({ type, id, privilege }) => (
              <li key={`${privilege} ${id}`}>
                <span>{words.why.withoutPrivilege(words.privileges[privilege] ?? privilege)}</span>
                <ObjectName type={type} id={id} withType />
              </li>
            ))}
          </ul>
        </>
      )}
      {given !== null && (
        <PartBoundary>
          <GiveDialog given={given} onClose={() => setGiven(null)} />
        </PartBoundary>
      )}
    </>
  )
}
