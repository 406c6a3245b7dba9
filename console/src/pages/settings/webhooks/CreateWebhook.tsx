import { Checkbox, PasswordInput, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { FormDialog } from '../../../parts/form/FormDialog.tsx'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Settings.module.css'
import { eventNames, webhooksRoute } from './webhook.ts'

interface Values {
  url: string
  secret: string
  events: (typeof eventNames)[number][]
}

/** Dialog that makes a webhook, and then opens its page. */
export default function CreateWebhook({ providerId, onClose }: { providerId: string; onClose: () => void }) {
  const { webhooks: words } = useWords('settings')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const form = useForm<Values>({
    // Without a draft, since it has a secret.
    initial: { url: '', secret: '', events: ['device.deleted'] },
    validate: ({ url, secret, events }) => ({
      ...(!/^https?:\/\/./.test(url.trim()) && { url: words.urlRule }),
      ...(secret === '' && { secret: common.required }),
      ...(events.length === 0 && { events: words.eventsRule }),
    }),
    submit: async ({ url, secret, events }) => {
      const { id } = await api.post(webhooksRoute, {
        path: { providerId },
        body: { url: url.trim(), secret, events },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['webhooks'] })
      form.reset()
      onClose()
      await router.navigate(links.webhook(providerId, id) as never)
    },
  })
  return (
    <FormDialog form={form} onClose={onClose} title={words.create}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.create}>
        <TextInput
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          label={words.url}
          description={words.urlHint}
          {...form.field('url')}
        />
        <PasswordInput
          autoComplete="off"
          label={words.secret}
          description={words.secretHint}
          {...form.field('secret')}
        />
        <Checkbox.Group
          label={words.events}
          value={form.values.events}
          onChange={(events) => form.change({ events: events as Values['events'] })}
          error={form.problem('events')}
        >
          <div className={styles.buttons}>
            {eventNames.map((name) => (
              <Checkbox key={name} value={name} label={words.eventNames[name]} />
            ))}
          </div>
        </Checkbox.Group>
        <SaveBar form={form} label={words.create} />
      </form>
    </FormDialog>
  )
}
