import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Id } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Facts } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { isListed, type Tuple } from '../access/objects.ts'
import { TupleLine } from '../access/TupleLine.tsx'
import { Actor } from './Actor.tsx'
import styles from './Audit.module.css'
import { AuditedObject } from './AuditedObject.tsx'
import type { Entry } from './entry.ts'
import { type Difference, listDifferences } from './differences.ts'

/** One entry of the audit log, with what it has changed. */
export default function EntryPanel({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const words = useWords('audit')
  const access = useWords('access')
  const format = useFormat()
  const { resourceType: type, resourceId: id } = entry
  const isRelation = entry.action.endsWith('-relation')
  return (
    <Drawer opened onClose={onClose} title={words.entry} size="lg">
      <div className={styles.entry}>
        <Facts
          entries={[
            [words.object, <AuditedObject key="object" entry={entry} />],
            [words.id, <Id key="id" value={id} name={words.id} />],
            [words.action, words.actions[entry.action] ?? entry.action],
            [words.who, <Actor key="who" entry={entry} />],
            [words.at, format.full(entry.at)],
            ...(entry.requestId === null
              ? []
              : [
                  [words.request, <Id key="request" value={entry.requestId} name={words.request} />] as [
                    string,
                    ReactNode,
                  ],
                ]),
          ]}
        />
        <p className={styles.links}>
          <PageAnchor link={links.audit({ type, id, range: '1y' })}>{words.allOfObject}</PageAnchor>
          {isListed(type) && <PageAnchor link={links.access(type, id)}>{access.title}</PageAnchor>}
        </p>
        {isRelation ? (
          <TupleLine tuple={(entry.after ?? entry.before) as Tuple} />
        ) : (
          <Differences differences={listDifferences(entry.before, entry.after)} />
        )}
      </div>
    </Drawer>
  )
}

function Differences({ differences }: { differences: Difference[] }) {
  const words = useWords('audit')
  if (differences.length === 0) return <p className={styles.note}>{words.noDifference}</p>
  return (
    <table className={styles.differences}>
      <thead>
        <tr>
          <th scope="col">{words.field}</th>
          <th scope="col">{words.before}</th>
          <th scope="col">{words.after}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td data-side="before">
              <Value value={before} />
            </td>
            <td data-side="after">
              <Value value={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Value({ value }: { value: unknown }) {
  const words = useWords('audit')
  if (value === undefined) return <span className={styles.note}>{words.absent}</span>
  const written = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <code className={styles.value}>
      <bdi>{written}</bdi>
    </code>
  )
}
