import { ActionIcon, Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormat } from '../../format.ts'
import { useWords } from '../../words/words.tsx'
import { DraftGuard } from '../form/DraftGuard.tsx'
import { Icon } from '../Icon.tsx'
import styles from './DraftBar.module.css'
import type { Draft } from './use-draft.ts'

interface Props<Values extends object> {
  draft: Draft<Values>
  onSave: () => void
  /** The label of the save button: a verb with its object. */
  saveLabel: string
  isSaving: boolean
  /** Whether the draft can be saved without a change, such as a copy. */
  isReady?: boolean | undefined
  /** The reason, as a sentence, why the draft cannot be saved now. */
  blocked?: string | undefined
  /** Whether all changes stay as a draft when the page is left. */
  isKept?: boolean
  /** Number of problems in the draft; the editor marks them. */
  problems?: number
  /** An additional button, such as "Why?". */
  children?: ReactNode
}

/**
 * Shows since when there are unsaved changes, with buttons to undo, redo, discard and save. Asks before the page is
 * left.
 */
export function DraftBar<Values extends object>(props: Props<Values>) {
  const { draft, isSaving, blocked, problems = 0 } = props
  const words = useWords('common')
  const format = useFormat()
  const since = draft.sinceMs === null ? '' : format.time(draft.sinceMs)
  const state = draft.isRestored ? words.restoredSince(since) : words.unsavedSince(since)
  return (
    <div className={styles.bar} role="toolbar" aria-label={words.draft}>
      <DraftGuard isChanged={draft.isChanged && !isSaving} isKept={props.isKept ?? true} />
      <ActionIcon
        variant="subtle"
        aria-label={words.undo}
        title={draft.isRestored && !draft.canUndo ? words.undoFromHere : words.undo}
        disabled={!draft.canUndo}
        onClick={draft.undo}
      >
        <Icon name="undo" />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        aria-label={words.redo}
        title={words.redo}
        disabled={!draft.canRedo}
        onClick={draft.redo}
      >
        <Icon name="redo" />
      </ActionIcon>
      <span role="status" className={styles.state} data-changed={draft.isChanged || undefined}>
        {draft.isChanged ? state : words.nothingUnsaved}
        {problems > 0 && <span className={styles.problems}>{words.problems(problems)}</span>}
        {blocked !== undefined && blocked !== '' && <span className={styles.blocked}>{blocked}</span>}
      </span>
      {props.children}
      {draft.isChanged && <Button onClick={draft.discard}>{words.discard}</Button>}
      <Button
        variant="filled"
        loading={isSaving}
        disabled={(!draft.isChanged && props.isReady !== true) || blocked !== undefined}
        onClick={props.onSave}
      >
        {props.saveLabel}
      </Button>
    </div>
  )
}
