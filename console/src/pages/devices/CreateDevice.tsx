import { Modal, Select, TextInput } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import styles from './Devices.module.css'

interface Props {
  providers: Schemas['Provider'][]
  /** Provider whose devices the list shows; empty for all. */
  providerId: string
  onClose: () => void
}

const idPattern = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/

/** Dialog that creates a device, and then opens its page with the code for it. */
export default function CreateDevice({ providers, providerId, onClose }: Props) {
  const { create: words, title, provider: providerLabel } = useWords('devices')
  const common = useWords('common')
  const api = useApi()
  const router = useRouter()
  const cache = useQueryClient()
  // MQTT is the default, since most devices that are created by hand connect to this server.
  const first =
    providers.find(({ id }) => id === providerId) ??
    providers.find(({ type }) => type === 'mqtt') ??
    providers[0]!
  const form = useForm({
    draft: 'new-device',
    initial: { providerId: first.id, id: '', displayName: '', organizationId: '' },
    validate: ({ id }) => ({ ...(!idPattern.test(id.trim()) && { id: words.idRule }) }),
    submit: async ({ providerId: chosen, id, displayName }) => {
      const device = await api.post('/v1/providers/{providerId}/clients', {
        path: { providerId: chosen },
        body: {
          id: id.trim(),
          displayName: displayName.trim() || id.trim(),
          organizationId: await findOrganizationId(),
        },
      })
      void cache.invalidateQueries({ queryKey: ['devices'] })
      form.reset()
      onClose()
      await router.navigate(links.device(chosen, device.id, { tab: 'connect', keys: 'shown' }) as never)
    },
  })
  const provider = providers.find(({ id }) => id === form.values.providerId)
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'provider_client_management',
    chosen: form.values.organizationId,
    preferred: provider?.organizationId,
  })
  return (
    <Modal opened onClose={onClose} title={words.action} closeButtonProps={{ 'aria-label': common.close }}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={title}>
        {providers.length > 1 && (
          <Select
            label={providerLabel}
            description={words.providerHint}
            allowDeselect={false}
            data={providers.map(({ id, displayName }) => ({ value: id, label: displayName }))}
            value={form.values.providerId}
            onChange={(chosen) => chosen !== null && form.change({ providerId: chosen })}
          />
        )}
        <TextInput
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          label={words.id}
          description={words.idHint}
          {...form.field('id')}
        />
        <TextInput
          autoComplete="off"
          label={words.name}
          description={words.nameHint}
          {...form.field('displayName')}
        />
        <OrganizationField
          privilege="provider_client_management"
          value={organizationId}
          onChange={(chosen) => form.change({ organizationId: chosen })}
          error={form.problem('organizationId')}
        />
        <p className={styles.note}>{provider?.type === 'mqtt' ? words.what : words.whatImport}</p>
        <SaveBar form={form} label={words.action} />
      </form>
    </Modal>
  )
}
