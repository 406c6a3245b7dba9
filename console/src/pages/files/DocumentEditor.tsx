import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ApiError } from '@gangway/client'
import { useApi } from '../../api/ApiProvider.tsx'
import { type EditorProblem } from '../../parts/code-editor/find-problems.ts'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { writeJson } from '../../parts/code-editor/write-json.ts'
import { DraftBar } from '../../parts/draft/DraftBar.tsx'
import { useDraft } from '../../parts/draft/use-draft.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Files.module.css'
import { readKind, type Resource, resourceRoute } from './resource.ts'
import { changeTheme, type Theme } from './themes/theme.ts'
import { ThemeFields } from './themes/ThemeFields.tsx'
import { ThemePreview } from './themes/ThemePreview.tsx'

interface Props {
  resource: Resource
  /** The same draft as text, or as the fields of a theme. */
  view: 'json' | 'theme'
  isReadOnly: boolean
}

interface Values {
  text: string
  /** The digest of the document on which the text is based. */
  base: string
}

const start = ({ document, metadata }: Resource): Values => ({
  text: writeJson(document ?? {}),
  base: metadata.sha256,
})

/** The editor of a document. It overwrites nothing that somebody else has saved meanwhile unseen. */
export default function DocumentEditor({ resource, view, isReadOnly }: Props) {
  const { document: words } = useWords('files')
  // The edited state stays as it was opened, even if a newer one is read meanwhile.
  const [opened, setOpened] = useState(resource)
  const draft = useDraft<Values>({
    name: `document-${resource.id}`,
    initial: useMemo(() => start(opened), [opened]),
  })
  const { text } = draft.values
  const document = useMemo(() => readObject(text), [text])
  const save = useSaveDocument(resource.id, (sent, saved) => {
    setOpened(saved)
    draft.settle(sent, start(saved))
  })
  const onTheirs = (theirs: Resource) => {
    setOpened(theirs)
    draft.change(start(theirs))
    save.clear()
  }
  const changeFields = (changes: Theme) => draft.change({ text: changeTheme(document ?? {}, changes) })
  return (
    <div className={styles.editor}>
      {!isReadOnly && (
        <DraftBar
          draft={draft}
          saveLabel={words.save}
          isSaving={save.isRunning}
          blocked={document === undefined ? words.noObject : undefined}
          problems={save.problems.length}
          onSave={() => void save.run(draft.values, document!)}
        />
      )}
      {save.theirs !== null && (
        <Conflict
          theirs={save.theirs}
          onTheirs={onTheirs}
          onMine={(theirs) => {
            save.clear()
            draft.change({ base: theirs.metadata.sha256 })
          }}
        />
      )}
      {save.failure !== null && <Refusal error={save.failure} />}
      {readKind(resource) === 'theme' && <ThemeState resource={resource} />}
      {view === 'json' && (
        <div className={styles.json}>
          <JsonEditor
            label={words.label}
            value={text}
            onChange={(next) => draft.change({ text: next })}
            problems={save.problems}
            isReadOnly={isReadOnly}
            undo={{ onUndo: draft.undo, onRedo: draft.redo }}
          />
        </div>
      )}
      {view === 'theme' && document === undefined && <Notice kind="warning">{words.brokenTheme}</Notice>}
      {view === 'theme' && document !== undefined && (
        <div className={styles.theme}>
          <ThemeFields document={document} onChange={changeFields} isReadOnly={isReadOnly} />
          <ThemePreview document={document} />
        </div>
      )}
    </div>
  )
}

interface ConflictProps {
  theirs: Resource
  onTheirs: (theirs: Resource) => void
  onMine: (theirs: Resource) => void
}

function Conflict({ theirs, onTheirs, onMine }: ConflictProps) {
  const { document: words } = useWords('files')
  return (
    <div role="alert" className={styles.fields}>
      <Notice kind="warning">{words.conflict}</Notice>
      <div className={styles.json}>
        <JsonEditor label={words.theirs} value={start(theirs).text} isReadOnly />
      </div>
      <div className={styles.buttons}>
        <Button variant="filled" onClick={() => onMine(theirs)}>
          {words.keepMine}
        </Button>
        <Button onClick={() => onTheirs(theirs)}>{words.takeTheirs}</Button>
      </div>
    </div>
  )
}

/** Whether the members of its organization see the theme, and why not. */
function ThemeState({ resource }: { resource: Resource }) {
  const { theme: words } = useWords('files')
  const api = useApi()
  const { organizationId } = resource
  const { data } = useQuery({
    queryKey: ['theme', organizationId],
    queryFn: ({ signal }) =>
      api.get('/v1/themes/current', { query: { organizationId }, signal: withTimeout(signal) }),
    retry: false,
  })
  if (data === undefined) return null
  if (data.resourceId === resource.id)
    return (
      <p>
        <StateMark state="good">{words.inUse}</StateMark> {words.inUseText}
      </p>
    )
  return (
    <p>
      <StateMark state="off">{words.notInUse}</StateMark>{' '}
      <bdi>{words.replacedBy(data.displayName ?? '')}</bdi>
    </p>
  )
}

const none: EditorProblem[] = []

function useSaveDocument(resourceId: string, onSaved: (sent: Values, saved: Resource) => void) {
  const api = useApi()
  const cache = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [theirs, setTheirs] = useState<Resource | null>(null)
  const [problems, setProblems] = useState(none)
  const [failure, setFailure] = useState<unknown>(null)
  const clear = () => {
    setTheirs(null)
    setProblems(none)
    setFailure(null)
  }
  const run = async (values: Values, document: Record<string, unknown>) => {
    const path = { resourceId }
    setRunning(true)
    clear()
    try {
      const body = { document, ifSha256: values.base }
      const saved = await api.patch(resourceRoute, { path, body, signal: withTimeout() })
      onSaved(values, saved)
      cache.setQueryData(['resource', resourceId], saved)
      void cache.invalidateQueries({ queryKey: ['resources'] })
      void cache.invalidateQueries({ queryKey: ['theme'] })
    } catch (error) {
      await onRefused(error)
    } finally {
      setRunning(false)
    }
  }
  /** After a conflict it reads the document that another user has saved; other refusals are shown as they are. */
  const onRefused = async (error: unknown) => {
    setProblems(readProblems(error))
    if (!isConflict(error)) return setFailure(error)
    await api.get(resourceRoute, { path: { resourceId }, signal: withTimeout() }).then(setTheirs, setFailure)
  }
  return { run, isRunning, theirs, problems, failure, clear }
}

/** Whether the document is another one than that on which the draft is based. */
const isConflict = (error: unknown) => error instanceof ApiError && error.details.sha256 !== undefined

/** Problems that the server found in the document, by their place in it. */
function readProblems(error: unknown): EditorProblem[] {
  if (!(error instanceof ApiError)) return none
  return error.issues
    .filter(({ path }) => path.startsWith('document'))
    .map(({ path, message }) => ({ path: path.replace(/^document\.?/, ''), message }))
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
