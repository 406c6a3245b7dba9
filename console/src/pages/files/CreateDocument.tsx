import { Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Files.module.css'
import { newTheme } from './themes/theme.ts'

interface Props {
  kind: 'document' | 'theme'
  onClose: () => void
}

/** Dialog that creates a document or a theme, and then opens its editor. */
export default function CreateDocument({ kind, onClose }: Props) {
  const words = useWords('files')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const title = words.create[kind]
  const form = useForm({
    draft: `new-${kind}`,
    initial: { displayName: '', organizationId: '' },
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async ({ displayName }) => {
      const place = await findOrganizationId()
      const { id } = await api.post('/v1/resources', {
        body: {
          displayName: displayName.trim(),
          ...(kind === 'theme' ? { tags: { theme: 'default' }, document: newTheme } : { document: {} }),
          ...(place !== '' && { organizationId: place }),
        },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['resources'] })
      form.reset()
      onClose()
      await router.navigate(links.file(id) as never)
    },
  })
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'resource_item_management',
    chosen: form.values.organizationId,
  })
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': common.close }}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={title}>
        <p className={styles.quiet}>{words.create.hints[kind]}</p>
        <TextInput data-autofocus autoComplete="off" label={words.name} {...form.field('displayName')} />
        <OrganizationField
          privilege="resource_item_management"
          value={organizationId}
          onChange={(chosen) => form.change({ organizationId: chosen })}
          error={form.problem('organizationId')}
        />
        <SaveBar form={form} label={title} />
      </form>
    </Modal>
  )
}
