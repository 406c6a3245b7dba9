import { Modal, Textarea, TextInput } from '@mantine/core'
import { useApi } from '../../api/ApiProvider.tsx'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { parsePlace, type Place, placeKey } from './place.ts'
import { PlaceField } from './PlaceField.tsx'

interface Props {
  place: Place | null
  onClose: () => void
  onCreated: () => void
}

/** Dialog that creates a node of the tree, such as a hall or a line, which contains assets. */
export default function CreateNode({ place, onClose, onCreated }: Props) {
  const { node: words, create } = useWords('assets')
  const common = useWords('common')
  const api = useApi()
  const form = useForm({
    draft: 'node',
    initial: { displayName: '', description: '', organizationId: '', at: placeKey(place), placeName: '' },
    validate: ({ displayName }) => ({
      ...(displayName.trim() === '' && { displayName: common.required }),
    }),
    submit: async ({ displayName, description, at }) => {
      const parent = parsePlace(at)
      const node = await api.post('/v1/tree/nodes', {
        body: {
          displayName: displayName.trim(),
          description: description.trim() || null,
          organizationId: await findOrganizationId(),
          parentNodeId: parent?.type === 'node' ? parent.id : null,
        },
        signal: withTimeout(),
      })
      if (parent?.type === 'asset')
        await api.post('/v1/tree/move', {
          body: { type: 'node', id: node.id, to: parent },
          signal: withTimeout(),
        })
      onCreated()
      form.reset()
      onClose()
    },
  })
  const { at, placeName } = form.values
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'tree_management',
    chosen: form.values.organizationId,
  })
  return (
    <Modal opened onClose={onClose} title={words.title} closeButtonProps={{ 'aria-label': common.close }}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.title}>
        <TextInput
          data-autofocus
          autoComplete="off"
          label={create.name}
          description={words.nameHint}
          {...form.field('displayName')}
        />
        <Textarea autosize minRows={2} label={create.description} {...form.field('description')} />
        <PlaceField
          value={parsePlace(at)}
          name={placeName}
          onChange={(next, name) => form.change({ at: placeKey(next), placeName: name })}
        />
        <OrganizationField
          privilege="tree_management"
          value={organizationId}
          onChange={(next) => form.change({ organizationId: next })}
          error={form.problem('organizationId')}
        />
        <SaveBar form={form} label={words.action} />
      </form>
    </Modal>
  )
}
