import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { isObject, localText, readSchema } from '../../parts/schema/schema.ts'
import { draftOf, findDraftProblems, readDraftValue, SchemaForm } from '../../parts/schema/SchemaForm.tsx'
import { useLanguage, useWords } from '../../words/words.tsx'
import type { DesiredTarget } from '../devices/DesiredEditor.tsx'
import type { Properties } from '../devices/twin-changes.ts'
import { writeUnit } from '../explore/use-units.ts'
import styles from './Assets.module.css'
import type { Content } from './contents.ts'

interface Props {
  content: Content
  target: DesiredTarget
  desired: Properties
  onClose: () => void
}

/** Dialog that sets one property with a form for its data type, or removes it. */
export default function SetProperty({ content, target, desired, onClose }: Props) {
  const { properties: words } = useWords('assets')
  const cache = useQueryClient()
  const language = useLanguage()
  const { componentId, name, unit } = content
  const schema = useMemo(() => readSchema(content.schema), [content])
  const component = componentId === null ? desired : desired[componentId]
  const present = isObject(component) && Object.hasOwn(component, name) ? component[name] : undefined
  const save = async (value: unknown) => {
    await target.save(componentId === null ? { [name]: value } : { [componentId]: { [name]: value } })
    await cache.invalidateQueries({ queryKey: target.queryKey })
  }
  const form = useForm({
    initial: { draft: draftOf(present) },
    validate: ({ draft }) => {
      const isWrong = Object.keys(findDraftProblems(schema, draft)).length > 0
      return isWrong || readDraftValue(draft).value === undefined ? { draft: words.incomplete } : {}
    },
    submit: async ({ draft }) => {
      await save(readDraftValue(draft).value)
      form.reset()
      onClose()
    },
  })
  const removal = useForm({
    initial: {},
    submit: async () => {
      await save(null)
      onClose()
    },
  })
  const label = localText(content.displayName, language) ?? name
  return (
    <FormDialog form={form} onClose={onClose} title={<bdi>{words.set(label)}</bdi>}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.set(label)}>
        <p className={styles.note}>{words.setText}</p>
        <SchemaForm
          label={label}
          schema={schema}
          unit={unit ? writeUnit(unit) : null}
          draft={form.values.draft}
          onChange={(draft) => form.change({ draft })}
        />
        {form.problem('draft') !== undefined && (
          <p role="alert" className={styles.problem}>
            {form.problem('draft')}
          </p>
        )}
        <SaveBar form={form} label={words.send} />
      </form>
      {present !== undefined && (
        <form onSubmit={removal.onSubmit} className={styles.removal}>
          <Button type="submit" variant="subtle" color="red" loading={removal.isSubmitting}>
            {words.remove}
          </Button>
        </form>
      )}
    </FormDialog>
  )
}
