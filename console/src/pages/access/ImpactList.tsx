import type { Answer } from '@gangway/client'
import { type ReactNode, useState } from 'react'
import { useFormat } from '../../format.ts'
import { StateMark } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Access.module.css'
import { ObjectName } from './ObjectName.tsx'
import type { ObjectRef } from './objects.ts'

type Impact = Answer<'post', '/v1/relations/impact'>

/** Who would lose what: each user with permissions, privileges and notifications, and each count with its list. */
export function ImpactList({ answers, hasMore }: { answers: Impact[]; hasMore: boolean }) {
  const { take: words } = useWords('access')
  const format = useFormat()
  const users = groupByUser(answers)
  if (users.size === 0)
    return hasMore ? null : (
      <section className={styles.impact} aria-label={words.nobodyTitle}>
        <StateMark state="good">{words.nobodyTitle}</StateMark>
        <p className={styles.note}>{words.nobody}</p>
      </section>
    )
  return (
    <section className={styles.impact} aria-label={words.losing(format.number(users.size))}>
      <StateMark state="warning">{words.losing(format.number(users.size))}</StateMark>
      <ul className={styles.losses}>
        {[...users].map(([userId, losses]) => (
          <li key={userId}>
            <ObjectName type="user" id={userId} />
            <Losses losses={losses} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface UserLosses {
  permissions: Impact['permissions']
  privileges: Impact['privileges']
  notifications: Impact['notifications']
}

function groupByUser(answers: Impact[]): Map<string, UserLosses> {
  const users = new Map<string, UserLosses>()
  const of = (userId: string) => {
    const known = users.get(userId) ?? { permissions: [], privileges: [], notifications: [] }
    users.set(userId, known)
    return known
  }
  for (const { permissions, privileges, notifications } of answers) {
    for (const entry of permissions) of(entry.userId).permissions.push(entry)
    for (const entry of privileges) of(entry.userId).privileges.push(entry)
    for (const entry of notifications) of(entry.userId).notifications.push(entry)
  }
  return users
}

function Losses({ losses }: { losses: UserLosses }) {
  const words = useWords('access')
  const format = useFormat()
  return (
    <div className={styles.loss}>
      {losses.permissions.map(({ permission, resourceType, resourceIds, total }) => (
        <Lost
          key={`${permission} ${resourceType}`}
          title={words.take.permission(
            words.permissions[permission],
            format.number(total),
            words.types[resourceType] ?? resourceType,
          )}
          objects={resourceIds.map((id) => ({ type: resourceType, id }))}
          total={total}
        />
      ))}
      {losses.privileges.map(({ privilege, organizationIds }) => (
        <Lost
          key={privilege}
          title={words.take.privilege(
            words.privileges[privilege] ?? privilege,
            format.number(organizationIds.length),
          )}
          objects={organizationIds.map((id) => ({ type: 'organization', id }))}
          total={organizationIds.length}
        />
      ))}
      {losses.notifications.map(({ notificationIds }) => (
        <Lost
          key="notifications"
          title={words.take.notifications(format.number(notificationIds.length))}
          objects={notificationIds.map((id) => ({ type: 'notification', id }))}
          total={notificationIds.length}
        />
      ))}
    </div>
  )
}

/** A count that opens into its list. */
function Lost({ title, objects, total }: { title: ReactNode; objects: ObjectRef[]; total: number }) {
  const words = useWords('access')
  const format = useFormat()
  const [isOpen, setOpen] = useState(false)
  return (
    <details className={styles.lost} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {/* The names are read when they are shown. */}
      {isOpen && <LostObjects objects={objects} />}
      {objects.length < total && (
        <p className={styles.note}>
          {words.take.firstOf(format.number(objects.length), format.number(total))}
        </p>
      )}
    </details>
  )
}

const LostObjects = ({ objects }: { objects: ObjectRef[] }) => (
  <ul>
    {objects.map((object) => (
      <li key={object.id}>
        <ObjectName {...object} />
      </li>
    ))}
  </ul>
)
