import { Textarea, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useMemo, useRef } from 'react'
import { links, type PageLink } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import type { CodeExample } from '../../parts/code/example.ts'
import type { EditorHandle } from '../../parts/code-editor/CodeMirrorEditor.tsx'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { findLine, findPlace, locateJson, type Place } from '../../parts/code-editor/locate.ts'
import { DraftBar } from '../../parts/draft/DraftBar.tsx'
import { type ListedProblem, ProblemList } from '../../parts/draft/ProblemList.tsx'
import { type Draft, useDraft } from '../../parts/draft/use-draft.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import layout from '../../parts/layout/Page.module.css'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { type Model, readDefinition } from './model.ts'
import styles from './Models.module.css'
import { Outline } from './Outline.tsx'
import { placeProblems } from './placed-problems.ts'
import { UploadButton } from './UploadButton.tsx'
import type { SaveModel } from './use-save-model.ts'

export interface ModelDraft {
  displayName: string
  description: string
  organizationId: string
  /** The definition as JSON text. */
  text: string
}

interface Props {
  title: string
  parent: { title: string; link: PageLink }
  /** The name under which the draft is stored. */
  name: string
  initial: ModelDraft
  save: SaveModel
  saveLabel: string
  /** Where a new model belongs by default; absent if the model has an organization already. */
  newIn?: { preferred?: string }
  /** The reason why the model cannot be saved, and an alternative. */
  blocked?: { text: string; action?: ReactNode }
  /** A notice above the editor. */
  notice?: (draft: Draft<ModelDraft>) => ReactNode
  isReadOnly?: boolean
  /** Whether the draft can be saved without a change. */
  isReady?: boolean
  requests: (body: Record<string, unknown>) => CodeExample[]
}

/** The editor of a definition, with a list of problems above and an outline beside it. */
export function ModelEditor(props: Props) {
  const { save, newIn, isReadOnly = false } = props
  const words = useWords('models')
  const router = useRouter()
  const editor = useRef<EditorHandle>(null)
  const draft = useDraft<ModelDraft>({ name: props.name, initial: props.initial })
  const { text } = draft.values
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'model_management',
    chosen: draft.values.organizationId,
    preferred: newIn?.preferred,
  })
  const definition = useMemo(() => readDefinition(text), [text])
  const problems = useMemo(() => placeProblems(text, save.problems), [text, save.problems])
  const syntax = useMemo(() => findSyntaxProblem(text, words.notJson), [text, words.notJson])
  const select = (place: Place) => editor.current?.select(place)
  const listed: ListedProblem[] = [
    ...(syntax === undefined
      ? []
      : [{ ...syntax, key: 'syntax', path: '', onSelect: () => select(syntax.at) }]),
    ...problems.map(({ path, message, place, line }) => ({
      key: `${path} ${message}`,
      place: line,
      path: path === '' ? words.wholeDefinition : path,
      message,
      onSelect: () => select(place),
    })),
  ]
  const onSave = async () => {
    const filled = { ...draft.values, organizationId: await findOrganizationId() }
    const saved = await save.run(filled, definition!)
    if (saved === undefined) return
    draft.forget()
    await router.navigate(links.model(saved.id) as never)
    save.end()
  }
  return (
    <div className={layout.page} data-fill>
      <PageHead
        parent={props.parent}
        title={props.title}
        actions={
          <>
            <CodeExamples
              requests={props.requests({
                ...(newIn !== undefined && { organizationId }),
                ...writeBody(draft.values, definition),
              })}
            />
            {!isReadOnly && <UploadButton onText={(uploaded) => draft.change({ text: uploaded })} />}
          </>
        }
      />
      <div className={layout.above}>
        <DraftBar
          draft={draft}
          saveLabel={props.saveLabel}
          isReady={props.isReady}
          isSaving={save.isRunning}
          blocked={props.blocked?.text ?? explainUnready(text, definition, words.noObject)}
          problems={listed.length}
          onSave={() => void onSave()}
        >
          {props.blocked?.action}
        </DraftBar>
        {props.notice?.(draft)}
        <ProblemList problems={listed} />
        {save.failure !== null && <Refusal error={save.failure} />}
      </div>
      <div className={styles.names}>
        <TextInput
          label={words.name}
          description={words.nameHint}
          autoComplete="off"
          readOnly={isReadOnly}
          value={draft.values.displayName}
          onChange={(event) => draft.change({ displayName: event.currentTarget.value })}
        />
        <Textarea
          label={words.description}
          autosize
          minRows={1}
          maxRows={4}
          readOnly={isReadOnly}
          value={draft.values.description}
          onChange={(event) => draft.change({ description: event.currentTarget.value })}
        />
        {newIn !== undefined && (
          <OrganizationField
            privilege="model_management"
            value={organizationId}
            onChange={(chosen) => draft.change({ organizationId: chosen })}
          />
        )}
      </div>
      <div className={styles.editing}>
        <div className={styles.editor}>
          <JsonEditor
            ref={editor}
            label={words.definition}
            value={text}
            onChange={(next) => draft.change({ text: next })}
            problems={problems}
            isReadOnly={isReadOnly}
            undo={{ onUndo: draft.undo, onRedo: draft.redo }}
          />
        </div>
        <Outline
          definition={definition}
          problems={problems}
          onSelect={(path) => select(placeIn(text, path))}
        />
      </div>
    </div>
  )
}

/** Explains why the text cannot be saved. An empty editor needs no explanation. */
function explainUnready(text: string, definition: object | undefined, noObject: string): string | undefined {
  if (definition !== undefined) return undefined
  return text.trim() === '' ? '' : noObject
}

function writeBody(
  { displayName, description }: ModelDraft,
  definition: Record<string, unknown> | undefined,
) {
  return {
    ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
    ...(description.trim() !== '' && { description: description.trim() }),
    definition: definition ?? {},
  }
}

function findSyntaxProblem(text: string, message: string) {
  const { wrongAt } = locateJson(text)
  if (text.trim() === '' || wrongAt === null) return undefined
  const { line, column } = findLine(text, wrongAt.from)
  return { place: `${line}:${column}`, message, at: wrongAt }
}

function placeIn(text: string, path: string): Place {
  const { root } = locateJson(text)
  return root ? findPlace(root, path) : { from: 0, to: 0 }
}

export const startModelDraft = (model: Model, text: string): ModelDraft => ({
  displayName: model.displayName,
  description: model.description ?? '',
  organizationId: model.organizationId,
  text,
})
