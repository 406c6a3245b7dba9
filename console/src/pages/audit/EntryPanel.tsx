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
import { Differences } from './Differences.tsx'
import { listDifferences } from './differences.ts'

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
