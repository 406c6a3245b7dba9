import { Select } from '@mantine/core'
import { useState } from 'react'
import { localText } from '../../parts/schema/schema.ts'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useLanguage, useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { CommandForm } from './CommandForm.tsx'
import { CommandHistory } from './CommandHistory.tsx'
import { type Asset, contentKey, useContents } from './contents.ts'

const fields = { command: text() }

/** Form that sends a command of the model, and the history of the commands of this name. */
export default function CommandsTab({ asset }: { asset: Asset }) {
  const { commands: words } = useWords('assets')
  const language = useLanguage()
  const [{ command }, change] = useUrlState(fields)
  const [sentAtMs, setSentAt] = useState(0)
  const model = useContents(asset.modelId)
  if (model.isPending) return <Loading />
  if (model.data === undefined) return <Failed error={model.error} onRetry={() => void model.refetch()} />
  const commands = model.contents.filter(({ kind }) => kind === 'command')
  const content = commands.find((one) => contentKey(one) === command) ?? commands[0]
  if (content === undefined) return <Empty icon="assets" title={words.emptyTitle} text={words.emptyText} />
  const key = contentKey(content)
  return (
    <div className={styles.halves}>
      <div className={styles.half}>
        <h2 className={styles.subtitle}>{words.title}</h2>
        <Select
          label={words.command}
          searchable={commands.length > 8}
          data={commands.map((one) => {
            const name = localText(one.displayName, language) ?? one.name
            return {
              value: contentKey(one),
              label: one.componentId === null ? name : `${one.componentId} · ${name}`,
            }
          })}
          value={key}
          onChange={(next) => next !== null && void change({ command: next })}
        />
        <CommandForm key={key} asset={asset} content={content} onSent={() => setSentAt(Date.now())} />
      </div>
      <div className={styles.half}>
        <h2 className={styles.subtitle}>{words.history}</h2>
        <CommandHistory key={key} asset={asset} content={content} sentAtMs={sentAtMs} />
      </div>
    </div>
  )
}
