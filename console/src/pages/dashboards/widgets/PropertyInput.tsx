import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Refusal } from '../../../parts/Refusal.tsx'
import { localText, readSchema } from '../../../parts/schema/schema.ts'
import {
  emptyDraft,
  findDraftProblems,
  readDraftValue,
  SchemaForm,
} from '../../../parts/schema/SchemaForm.tsx'
import { useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { useLanguage, useWords } from '../../../words/words.tsx'
import type { Content } from '../../assets/contents.ts'
import { desiredRoute } from '../../assets/use-properties.ts'
import { withTimeout } from '../../devices/timeout.ts'
import { writeUnit } from '../../explore/use-units.ts'
import type { Widget } from '../board/board.ts'
import { listAssets } from '../board/signals.ts'
import { useBoardValues } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { PropertyState } from './PropertyState.tsx'
import { useAssetModel } from './use-asset-model.ts'
import { WidgetLoading, WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const propertyInput: WidgetKind = {
  kind: 'propertyInput',
  icon: 'settings',
  size: { w: 3, h: 4 },
  View: PropertyInput,
  sends: true,
  fields: ['asset', 'property'],
  initial: { name: '' },
}

interface PropertyOptions {
  assetId?: string
  variable?: string
  componentId?: string | null
  name: string
  label?: string
}

/** Sets a writable property of an asset, by a field of its data type. */
function PropertyInput({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const { bindings } = useBoardValues()
  const options = widget.options as unknown as PropertyOptions
  const assets = listAssets(options, bindings)
  const [assetId] = assets
  const { contents, isLoading, error } = useAssetModel(assetId)
  if (assetId === undefined || options.name === '') return <WidgetNote>{words.noAsset}</WidgetNote>
  if (error !== null) return <Refusal error={error} />
  if (isLoading) return <WidgetLoading />
  const content = contents.find(
    ({ kind, name, componentId }) =>
      kind === 'property' && name === options.name && componentId === (options.componentId ?? null),
  )
  if (content === undefined) return <WidgetNote>{words.noProperty(options.name)}</WidgetNote>
  return (
    <>
      {assets.length > 1 && <WidgetNote>{words.firstOf(assetId, assets.length)}</WidgetNote>}
      <PropertyForm key={assetId} assetId={assetId} content={content} label={options.label} />
    </>
  )
}

interface FormProps {
  assetId: string
  content: Content
  label: string | undefined
}

function PropertyForm({ assetId, content, label: chosen }: FormProps) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const language = useLanguage()
  const api = useApi()
  const cache = useQueryClient()
  const [sent, setSent] = useState(false)
  const allowed = useExplainedPermission({ resourceType: 'asset', resourceId: assetId, permission: 'manage' })
  const { componentId, name, unit } = content
  const schema = useMemo(() => readSchema(content.schema), [content])
  const label = chosen ?? localText(content.displayName, language) ?? name
  const form = useForm({
    draft: `property-${assetId}-${componentId ?? ''}-${name}`,
    initial: { draft: emptyDraft },
    validate: ({ draft }) => {
      const isWrong = Object.keys(findDraftProblems(schema, draft)).length > 0
      return isWrong || readDraftValue(draft).value === undefined ? { draft: words.incomplete } : {}
    },
    submit: async ({ draft }) => {
      const { value } = readDraftValue(draft)
      const body = componentId === null ? { [name]: value } : { [componentId]: { [name]: value } }
      await api.put(desiredRoute, {
        path: { assetId },
        body,
        signal: withTimeout(),
      })
      setSent(true)
      void cache.invalidateQueries({ queryKey: ['asset-properties', assetId] })
    },
  })
  const isForbidden = allowed.data?.result === false
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.form} aria-label={words.kinds.propertyInput}>
      <PropertyState assetId={assetId} content={content} />
      <SchemaForm
        label={label}
        schema={schema}
        unit={unit ? writeUnit(unit) : null}
        draft={form.values.draft}
        onChange={(draft) => {
          setSent(false)
          form.change({ draft })
        }}
      />
      {form.problem('draft') !== undefined && (
        <p role="alert" className={styles.problem}>
          {form.problem('draft')}
        </p>
      )}
      {form.failure !== null && <Refusal error={form.failure} />}
      <div className={styles.formBar}>
        <Button type="submit" loading={form.isSubmitting} disabled={isForbidden}>
          {words.setProperty}
        </Button>
        <span role="status" className={styles.note}>
          {isForbidden && words.mayNotSend(assetId)}
          {!isForbidden && (sent ? words.propertySent : form.isRestored && form.isChanged && common.restored)}
        </span>
      </div>
    </form>
  )
}
