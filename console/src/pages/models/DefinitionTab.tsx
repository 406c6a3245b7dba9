import { CopyButton } from '../../parts/Copy.tsx'
import { JsonEditor } from '../../parts/code-editor/JsonEditor.tsx'
import { useWords } from '../../words/words.tsx'
import { type Model, writeDefinition } from './model.ts'
import styles from './Models.module.css'

/** The definition in its original form, read-only. */
export default function DefinitionTab({ model }: { model: Model }) {
  const words = useWords('models')
  const text = writeDefinition(model.definition)
  return (
    <>
      <div className={styles.bar}>
        <p>{words.definitionText}</p>
        <CopyButton label={words.copyDefinition} load={() => text} />
      </div>
      <div className={styles.scroll}>
        <JsonEditor label={words.definition} value={text} isReadOnly />
      </div>
    </>
  )
}
