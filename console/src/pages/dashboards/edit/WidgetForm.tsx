import { Button, Select, TextInput } from '@mantine/core'
import { useWords } from '../../../words/words.tsx'
import type { Tab, Variable, Widget } from '../board/board.ts'
import { WidgetBoundary } from '../grid/WidgetBoundary.tsx'
import { findKind } from '../widgets/kinds.ts'
import { UnknownWidget } from '../widgets/UnknownWidget.tsx'
import { fieldParts } from './fields/fields.ts'
import styles from './Editor.module.css'

interface Props {
  widget: Widget
  variables: Variable[]
  tabs: Tab[]
  /** Id of its tab, if the board has tabs. */
  tab: string | undefined
  onTab: (tab: string) => void
  onChange: (widget: Widget) => void
  onRemove: () => void
  onClose: () => void
}

/** Title and options of a widget, by the fields of its kind. */
export function WidgetForm({ widget, variables, tabs, tab, onTab, onChange, onRemove, onClose }: Props) {
  const words = useWords('dashboardEditor')
  const names = useWords('dashboards').kinds
  const common = useWords('common')
  const kind = findKind(widget.kind)
  const change = (options: Record<string, unknown>) =>
    onChange({ ...widget, options: dropUndefined({ ...widget.options, ...options }) })
  return (
    <div className={styles.form}>
      <div className={styles.formHead}>
        <h2 className={styles.formTitle}>
          <bdi>{names[widget.kind as keyof typeof names] ?? widget.kind}</bdi>
        </h2>
        <Button variant="subtle" onClick={onClose}>
          {common.close}
        </Button>
      </div>
      {tabs.length > 1 && (
        <Select
          label={words.tab}
          data={tabs.map(({ id, title }) => ({ value: id, label: title }))}
          value={tab ?? null}
          onChange={(id) => id !== null && onTab(id)}
        />
      )}
      {kind === undefined ? (
        <UnknownWidget widget={widget} />
      ) : (
        <>
          <TextInput
            label={words.titleField}
            description={words.titleHint}
            autoComplete="off"
            maxLength={256}
            value={widget.title ?? ''}
            onChange={(event) => {
              const { title: _before, ...rest } = widget
              const title = event.currentTarget.value
              onChange(title === '' ? rest : { ...rest, title })
            }}
          />
          <WidgetBoundary options={widget.options} text={words.fieldsFailed}>
            {kind.fields.map((field) => {
              const Field = fieldParts[field]
              return <Field key={field} options={widget.options} variables={variables} onChange={change} />
            })}
          </WidgetBoundary>
        </>
      )}
      <div>
        <Button color="red" variant="outline" onClick={onRemove}>
          {words.remove}
        </Button>
      </div>
    </div>
  )
}

const dropUndefined = (options: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
