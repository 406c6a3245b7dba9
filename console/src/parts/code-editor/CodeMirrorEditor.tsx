import { autocompletion, type CompletionSource, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import {
  bracketMatching,
  foldGutter,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { linter, lintGutter, lintKeymap } from '@codemirror/lint'
import { Annotation, EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react'
import { cspNonce } from '../../csp-nonce.ts'
import { useWords } from '../../words/words.tsx'
import { findChange } from './change-text.ts'
import { type EditorProblem, findProblems } from './find-problems.ts'
import type { Place } from './locate.ts'
import { look } from './look.ts'

export interface JsonEditorProps {
  /** The accessible name of the editor. */
  label: string
  value: string
  onChange?: (text: string) => void
  isReadOnly?: boolean
  /** Problems to mark in the text. Pass the same array as long as they do not change. */
  problems?: readonly EditorProblem[]
  /** Completions at the cursor. */
  completions?: CompletionSource
  /** Replaces the editor's own undo and redo by those of a draft. */
  undo?: { onUndo: () => void; onRedo: () => void }
  ref?: Ref<EditorHandle>
}

interface Props extends JsonEditorProps {
  /** Extensions beyond JSON. A change of them recreates the editor. */
  extensions?: Extension
}

const none: Extension = []

export interface EditorHandle {
  /** Selects a range, scrolls to it and focuses the editor. */
  select: (place: Place) => void
}

const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent-text)' },
  { tag: [tags.string], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)' },
])

const changeProblems = StateEffect.define<readonly EditorProblem[]>()
const problemsField = StateField.define<readonly EditorProblem[]>({
  create: () => [],
  update: (present, { effects }) => effects.find((effect) => effect.is(changeProblems))?.value ?? present,
})
const noProblems: readonly EditorProblem[] = []

/** Marks a change by the parent component, which is not reported back to it. */
const fromOutside = Annotation.define<true>()

/** The Tab key leaves the editor: as a field of a form it must not trap the keyboard. */
export default function CodeMirrorEditor(props: Props) {
  const { label, value, isReadOnly = false, problems = noProblems, extensions = none, ref } = props
  const words = useWords('common')
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const present = useRef(props)
  present.current = props
  const hasDraft = props.undo !== undefined
  useEffect(() => {
    view.current = new EditorView({
      parent: place.current!,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(cspNonce()),
          // Accessibility checks require the attribute to count a read-only editor as focusable.
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorState.readOnly.of(isReadOnly),
          EditorView.lineWrapping,
          lineNumbers(),
          foldGutter(),
          lintGutter(),
          json(),
          problemsField.init(() => present.current.problems ?? noProblems),
          linter(
            ({ state }) => findProblems(state.doc.toString(), state.field(problemsField), words.wrongJson),
            {
              delay: 300,
              needsRefresh: ({ startState, state }) =>
                startState.field(problemsField) !== state.field(problemsField),
            },
          ),
          bracketMatching(),
          indentOnInput(),
          autocompletion({ override: [(at) => present.current.completions?.(at) ?? null] }),
          syntaxHighlighting(highlight),
          hasDraft ? undoOfDraft(present) : [history(), keymap.of(historyKeymap)],
          keymap.of([...completionKeymap, ...lintKeymap, ...defaultKeymap]),
          look,
          extensions,
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const isOwn = transactions.every((one) => one.annotation(fromOutside) === undefined)
            if (docChanged && isOwn) present.current.onChange?.(state.doc.toString())
          }),
        ],
      }),
    })
    return () => view.current?.destroy()
    // A change of the value does not recreate the editor; it is applied below, so that the cursor keeps its position.
  }, [label, isReadOnly, hasDraft, words, extensions])
  // A layout effect, because a later one could find that more was typed, and would take that back.
  useLayoutEffect(() => {
    const editor = view.current
    const before = editor?.state.doc.toString()
    if (editor === null || before === undefined || before === value) return
    const change = findChange(before, value)
    editor.dispatch({
      changes: change,
      selection: { anchor: change.from + change.insert.length },
      annotations: fromOutside.of(true),
    })
  }, [value])
  useEffect(() => view.current?.dispatch({ effects: changeProblems.of(problems) }), [problems])
  useImperativeHandle(ref, () => ({
    select: ({ from, to }) => {
      const editor = view.current!
      const end = editor.state.doc.length
      editor.dispatch({
        selection: { anchor: Math.min(from, end), head: Math.min(to, end) },
        effects: EditorView.scrollIntoView(Math.min(from, end), { y: 'center' }),
      })
      editor.focus()
    },
  }))
  return <div ref={place} />
}

function undoOfDraft(present: { current: JsonEditorProps }) {
  const onUndo = () => {
    present.current.undo?.onUndo()
    return true
  }
  const onRedo = () => {
    present.current.undo?.onRedo()
    return true
  }
  return keymap.of([
    { key: 'Mod-z', run: onUndo, preventDefault: true },
    { key: 'Mod-y', mac: 'Mod-Shift-z', run: onRedo, preventDefault: true },
    { linux: 'Ctrl-Shift-z', run: onRedo, preventDefault: true },
  ])
}
