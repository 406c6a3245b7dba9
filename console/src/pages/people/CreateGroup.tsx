import { Modal, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './People.module.css'

/** Dialog that makes a group of users, and then opens the page where members are added. */
export default function CreateGroup({ onClose }: { onClose: () => void }) {
  const { group: words, name } = useWords('people')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const form = useForm({
    draft: 'user-group-new',
    initial: { displayName: '', description: '' },
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async ({ displayName, description }) => {
      const { id } = await api.post('/v1/groups', {
        body: { displayName: displayName.trim(), description: description.trim() || null },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['user-groups'] })
      form.reset()
      onClose()
      await router.navigate(links.userGroup(id) as never)
    },
  })
  return (
    <Modal opened onClose={onClose} title={words.createTitle}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.createTitle}>
        <TextInput data-autofocus autoComplete="off" label={name} {...form.field('displayName')} />
        <Textarea autosize minRows={2} label={words.description} {...form.field('description')} />
        <SaveBar form={form} label={words.create} />
      </form>
    </Modal>
  )
}
