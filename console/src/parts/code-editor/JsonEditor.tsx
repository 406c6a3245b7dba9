import { lazyPart } from '../../load-part.ts'
import { PartBoundary } from '../PartBoundary.tsx'
import { Loading } from '../State.tsx'
import type { JsonEditorProps } from './CodeMirrorEditor.tsx'

const CodeMirrorEditor = lazyPart(() => import('./CodeMirrorEditor.tsx'))

/** JSON as text, with problems marked at their place. The editor is loaded when it is first shown. */
export const JsonEditor = (props: JsonEditorProps) => (
  <PartBoundary fallback={<Loading rows={4} />}>
    <CodeMirrorEditor {...props} />
  </PartBoundary>
)
