import { Suspense } from 'react'
import { lazyPart } from '../../load-part.ts'
import { Loading } from '../State.tsx'
import type { JsonEditorProps } from './CodeMirrorEditor.tsx'

const CodeMirrorEditor = lazyPart(() => import('./CodeMirrorEditor.tsx'))

/** JSON as text, with problems marked at their place. The editor is loaded when it is first shown. */
export const JsonEditor = (props: JsonEditorProps) => (
  <Suspense fallback={<Loading rows={4} />}>
    <CodeMirrorEditor {...props} />
  </Suspense>
)
