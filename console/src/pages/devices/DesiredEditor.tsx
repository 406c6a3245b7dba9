import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormat } from '../../format.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { findDesiredProblem } from './desired-problem.ts'
import styles from './Devices.module.css'
import {
  applyPatch,
  type Change,
  listChanges,
  makePatch,
  type Properties,
  withoutVersion,
} from './twin-changes.ts'

/** The device or asset whose desired properties are edited. */
export interface DesiredTarget {
  /** Key under which the draft is kept. */
  draft: string
  /** Key of the queries that are read again after the change. */
  queryKey: unknown[]
  read: () => Promise<Properties>
  /** Merges the patch, in which null removes a property, and returns the whole state. */
  save: (patch: Properties) => Promise<Properties>
}

interface Props {
  target: DesiredTarget
  desired: Properties
  onClose: () => void
}

const write = (properties: Properties) => JSON.stringify(withoutVersion(properties), null, 2)
const versionIn = (state: Properties) => Number(state.$version)

/** Thrown before anything is sent, so that the form keeps its draft. */
class VersionConflict extends Error {}

/** Editor of the whole desired state. It sends only the difference, and only if the version is still the edited one. */
export function DesiredEditor({ target, desired, onClose }: Props) {
  const { twin: words } = useWords('devices')
  const format = useFormat()
  const cache = useQueryClient()
  // The edited state stays as it was opened, even if a newer one is read meanwhile.
  const [opened] = useState(desired)
  const [theirs, setTheirs] = useState<Properties | null>(null)
  const [raced, setRaced] = useState<number | null>(null)
  const form = useForm<{ text: string; base: Properties }>({
    draft: target.draft,
    initial: { text: write(opened), base: opened },
    validate: ({ text }) => {
      const problem = findDesiredProblem(text, words, format.bytes)
      return problem === undefined ? {} : { text: problem }
    },
    submit: async ({ text, base }) => {
      const present = await target.read()
      if (versionIn(present) !== versionIn(base)) {
        setTheirs(present)
        throw new VersionConflict()
      }
      const saved = await target.save(makePatch(withoutVersion(base), JSON.parse(text) as Properties))
      await cache.invalidateQueries({ queryKey: target.queryKey })
      form.reset()
      if (versionIn(saved) === versionIn(base) + 1) onClose()
      else setRaced(versionIn(saved))
    },
  })
  const { text, base } = form.values
  // A version conflict is shown above the editor instead.
  const failure = form.failure instanceof VersionConflict ? null : form.failure
  const problem = findDesiredProblem(text, words, format.bytes)
  const changes =
    problem === undefined ? listChanges(withoutVersion(base), JSON.parse(text) as Properties) : []
  const keepMine = (present: Properties) => {
    const mine = makePatch(withoutVersion(base), JSON.parse(text) as Properties)
    form.change({ text: write(applyPatch(withoutVersion(present), mine)), base: present })
    setTheirs(null)
  }
  if (raced !== null)
    return (
      <div className={styles.half}>
        <Notice kind="warning">{words.raced(format.number(raced))}</Notice>
        <div>
          <Button onClick={onClose}>{words.cancel}</Button>
        </div>
      </div>
    )
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.half}>
      <div className={styles.bar}>
        <div>
          <h2 className={styles.subtitle}>{words.editTitle}</h2>
          <p className={styles.note}>{words.editText(format.number(versionIn(base)))}</p>
        </div>
        <span className={styles.space} />
        <Button
          onClick={() => {
            form.reset()
            onClose()
          }}
        >
          {words.cancel}
        </Button>
      </div>
      {theirs !== null && (
        <Conflict
          {...{ theirs, base }}
          onKeep={() => keepMine(theirs)}
          onTake={() => {
            form.change({ text: write(theirs), base: theirs })
            setTheirs(null)
          }}
        />
      )}
      <div className={styles.halves}>
        <div className={styles.half}>
          <div className={styles.editor}>
            <JsonEditor
              label={words.editTitle}
              value={text}
              onChange={(next) => form.change({ text: next })}
            />
          </div>
          {problem !== undefined && (
            <p role="alert" className={styles.problem}>
              {problem}
            </p>
          )}
        </div>
        <div className={styles.half}>
          <h3 className={styles.label}>{words.changes}</h3>
          {changes.length === 0 ? (
            <p className={styles.note}>{words.noChanges}</p>
          ) : (
            <Changes changes={changes} />
          )}
        </div>
      </div>
      <SaveBar form={{ ...form, failure }} label={words.save} />
    </form>
  )
}

function Conflict(props: { theirs: Properties; base: Properties; onKeep: () => void; onTake: () => void }) {
  const { twin: words } = useWords('devices')
  const format = useFormat()
  const version = format.number(versionIn(props.theirs))
  return (
    <div className={styles.conflict} role="alert">
      <p>{words.conflictTitle(version, format.number(versionIn(props.base)))}</p>
      <h3 className={styles.label}>{words.theirChanges}</h3>
      <Changes changes={listChanges(withoutVersion(props.base), withoutVersion(props.theirs))} />
      <div className={styles.answerHead}>
        <Button variant="filled" onClick={props.onKeep}>
          {words.keepMine(version)}
        </Button>
        <Button onClick={props.onTake}>{words.takeTheirs(version)}</Button>
      </div>
    </div>
  )
}

function Changes({ changes }: { changes: Change[] }) {
  const { twin: words } = useWords('devices')
  return (
    <ul className={styles.changes}>
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          <bdi>{path}</bdi>: {before !== undefined && <del>{JSON.stringify(before)}</del>}
          {before !== undefined && ' → '}
          <ins>{after === undefined ? words.removed : JSON.stringify(after)}</ins>
        </li>
      ))}
    </ul>
  )
}
