import { Modal, TextInput } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import { ModelField } from './ModelField.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { parsePlace, type Place, placeKey } from './place.ts'
import { PlaceField } from './PlaceField.tsx'

interface Props {
  /** Preselected place of the new asset; null for none. */
  place: Place | null
  onClose: () => void
  onCreated: () => void
}

const idPattern = /^(?!\.{1,2}$)[A-Za-z0-9._:;-]{1,128}$/

/** Dialog that creates an asset of a model at a place, and then opens its page. */
export default function CreateAsset({ place, onClose, onCreated }: Props) {
  const { create: words, title } = useWords('assets')
  const common = useWords('common')
  const api = useApi()
  const router = useRouter()
  const form = useForm({
    draft: 'asset',
    initial: { displayName: '', id: '', modelId: '', organizationId: '', at: placeKey(place), placeName: '' },
    validate: ({ displayName, id, modelId }) => ({
      ...(displayName.trim() === '' && { displayName: common.required }),
      ...(!idPattern.test(idFor(id, displayName)) && { id: words.idRule }),
      ...(modelId === '' && { modelId: words.modelRule }),
    }),
    submit: async ({ displayName, id, modelId, at }) => {
      const body = {
        id: idFor(id, displayName),
        displayName: displayName.trim(),
        modelId,
        organizationId: await findOrganizationId(),
      }
      const asset = await api.post('/v1/assets', { body, signal: withTimeout() })
      const to = parsePlace(at)
      // A failed move is ignored: the asset has been created, and its page shows its place.
      if (to !== null)
        await api
          .post('/v1/tree/move', { body: { type: 'asset', id: asset.id, to }, signal: withTimeout() })
          .catch(() => {})
      onCreated()
      form.reset()
      onClose()
      await router.navigate(links.asset(asset.id) as never)
    },
  })
  const { displayName, id, modelId, at, placeName } = form.values
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'asset_management',
    chosen: form.values.organizationId,
  })
  return (
    <Modal opened onClose={onClose} title={words.title} closeButtonProps={{ 'aria-label': common.close }}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={title}>
        <TextInput
          data-autofocus
          autoComplete="off"
          label={words.name}
          description={words.nameHint}
          {...form.field('displayName')}
        />
        <ModelField
          value={modelId}
          onChange={(next) => form.change({ modelId: next })}
          error={form.problem('modelId')}
        />
        <PlaceField
          value={parsePlace(at)}
          name={placeName}
          onChange={(next, name) => form.change({ at: placeKey(next), placeName: name })}
        />
        <TextInput
          autoComplete="off"
          spellCheck={false}
          label={words.id}
          description={words.idHint}
          placeholder={id === '' ? idFor('', displayName) : undefined}
          {...form.field('id')}
        />
        <OrganizationField
          privilege="asset_management"
          value={organizationId}
          onChange={(next) => form.change({ organizationId: next })}
          error={form.problem('organizationId')}
        />
        <SaveBar form={form} label={words.action} />
      </form>
    </Modal>
  )
}

/** Id as typed, else derived from the name: `Pump 7, hall 1` becomes `pump-7-hall-1`. */
const idFor = (typed: string, displayName: string) =>
  typed.trim() ||
  displayName
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 128)
    .replaceAll(/^-+|-+$/g, '')
