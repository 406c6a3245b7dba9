import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Bindings.module.css'
import { SourcePicker } from './SourcePicker.tsx'

interface Props {
  assetId: string
  /** Number of endpoints that are not bound yet. */
  unbound: number
  onClose: () => void
}

/** Binds the unbound endpoints of an asset to the signals of the same name of a device or another asset. */
export default function BindByName({ assetId, unbound, onClose }: Props) {
  const { byName: words, ...general } = useWords('bindings')
  const common = useWords('common')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const form = useForm({
    initial: { source: '' },
    validate: ({ source }) =>
      source.trim() === '' ? { 'autobindRemoteInstanceIds.0': common.required } : {},
    submit: async ({ source }) => {
      const body = { autobindRemoteInstanceIds: [source.trim()] }
      const saved = await api.post('/v1/assets/{assetId}/bind', {
        path: { assetId },
        body,
        signal: withTimeout(),
      })
      cache.setQueryData(['asset-bindings', assetId], saved)
      onClose()
    },
  })
  return (
    <FormDialog form={form} onClose={onClose} title={words.title}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields}>
        <p>{words.text(unbound, format.number(unbound))}</p>
        <SourcePicker
          label={general.sourceLabel}
          value={form.values.source}
          onChange={(source) => form.change({ source })}
          error={form.problem('autobindRemoteInstanceIds.0')}
        />
        {form.failure !== null && <Refusal error={form.failure} />}
        <div className={styles.buttons}>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="filled" loading={form.isSubmitting} disabled={unbound === 0}>
            {words.action}
          </Button>
        </div>
      </form>
    </FormDialog>
  )
}
