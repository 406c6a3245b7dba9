import { Modal, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import type { Place } from './place.ts'

interface Props {
  place: Place
  thing: { displayName: string; description: string | null }
  onClose: () => void
  onRenamed: () => void
}

/** Dialog that changes the name and the description of a node or an asset. */
export default function Rename({ place, thing, onClose, onRenamed }: Props) {
  const { rename: words, create } = useWords('assets')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const form = useForm({
    draft: `rename-${place.type}-${place.id}`,
    initial: { displayName: thing.displayName, description: thing.description ?? '' },
    validate: ({ displayName }) => ({
      ...(displayName.trim() === '' && { displayName: common.required }),
    }),
    submit: async ({ displayName, description }) => {
      const body = { displayName: displayName.trim(), description: description.trim() || null }
      if (place.type === 'node')
        await api.patch('/v1/tree/nodes/{nodeId}', {
          path: { nodeId: place.id },
          body,
          signal: withTimeout(),
        })
      else
        await api.patch('/v1/assets/{assetId}', {
          path: { assetId: place.id },
          body,
          signal: withTimeout(),
        })
      await Promise.all([
        cache.invalidateQueries({ queryKey: ['place', place.type, place.id] }),
        cache.invalidateQueries({ queryKey: ['asset', place.id] }),
      ])
      onRenamed()
      form.reset()
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={words.title} closeButtonProps={{ 'aria-label': common.close }}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.title}>
        <TextInput data-autofocus autoComplete="off" label={create.name} {...form.field('displayName')} />
        <Textarea autosize minRows={2} label={create.description} {...form.field('description')} />
        <p className={styles.note}>{words.text}</p>
        <SaveBar form={form} label={common.save} />
      </form>
    </Modal>
  )
}
