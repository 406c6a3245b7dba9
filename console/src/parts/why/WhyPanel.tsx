import { Drawer } from '@mantine/core'
import { ApiError } from '@gangway/client'
import { Fragment, type ReactNode } from 'react'
import { useWords } from '../../words/words.tsx'
import { type Explanation, useExplanation } from '../Refusal.tsx'
import { Id } from '../Id.tsx'
import { type AskedPermission, Permission } from './Permission.tsx'
import styles from './WhyPanel.module.css'

interface Props {
  isOpen: boolean
  onClose: () => void
  title?: string
  /** The reason as a sentence; an error brings its own. */
  reason?: ReactNode
  /** The reason's name in the API, such as `keep_alive_missed`. */
  code?: string
  cure?: ReactNode
  error?: unknown
  /** What else is known: time, address, bytes. */
  facts?: [name: string, value: ReactNode][]
  /** What one must be allowed to do; the panel says who can give it. */
  permission?: AskedPermission
  /** Stands below, such as several missing permissions. */
  more?: ReactNode
}

/** The drawer that answers "Why?": the reason, its code, what to do, and who can help. */
export function WhyPanel({ isOpen, onClose, title, error, permission, more, ...given }: Props) {
  const words = useWords('common')
  const explain = useExplanation()
  const told: Partial<Explanation> = error === undefined ? {} : explain(error)
  const api = error instanceof ApiError ? error : undefined
  const cure = given.cure ?? told.cure
  const facts: [string, ReactNode][] = [[words.reason, given.reason ?? told.reason]]
  const code = given.code ?? api?.code
  if (code !== undefined) facts.push([words.code, <code key="code">{code}</code>])
  if (api !== undefined) facts.push([words.request, <code key="request">{api.request}</code>])
  if (api?.requestId !== undefined)
    facts.push([words.requestId, <Id key="id" value={api.requestId} name={words.requestId} />])
  if (cure !== undefined) facts.push([words.whatToDo, cure])
  return (
    <Drawer opened={isOpen} onClose={onClose} title={title ?? words.whyTitle}>
      <Facts entries={[...facts, ...(given.facts ?? [])]} />
      {permission !== undefined && <Permission asked={permission} />}
      {more}
    </Drawer>
  )
}

/** Names and values in two columns. */
export const Facts = ({ entries }: { entries: [name: string, value: ReactNode][] }) => (
  <dl className={styles.facts}>
    {entries.map(([name, value]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </Fragment>
    ))}
  </dl>
)
