import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { withTimeout } from '../devices/timeout.ts'
import { newNotification, type NotificationValues, writeBody } from './notification.ts'
import { NotificationFields } from './NotificationFields.tsx'

const fields = { rule: text() }

export default function CreateNotification() {
  const words = useWords('notifications')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [{ rule }] = useUrlState(fields)
  const [initial] = useState<NotificationValues>(() => ({
    ...newNotification,
    trigger: rule === '' ? [] : [rule],
    channels: {
      ...newNotification.channels,
      email: { ...newNotification.channels.email, template: words.firstTemplate },
    },
  }))
  const write = (values: NotificationValues) => ({
    ...writeBody(values),
    organizationId,
  })
  const form = useForm<NotificationValues>({
    // Each rule has a draft of its own: that of another one would name the wrong rule.
    draft: rule === '' ? 'notification-new' : `notification-new-${rule}`,
    initial,
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async (values) => {
      const body = { ...write(values), organizationId: await findOrganizationId() }
      const { id } = await api.post('/v1/notifications', { body, signal: withTimeout() })
      void cache.invalidateQueries({ queryKey: ['notifications'] })
      form.reset()
      await router.navigate(links.notification(id) as never)
    },
  })
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'notification_management',
    chosen: form.values.organizationId,
  })
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={words.createTitle} className={page.page}>
      <PageHead
        parent={{ title: words.title, link: links.notifications() }}
        title={words.createTitle}
        text={words.what}
        actions={
          <CodeExamples requests={[example('post', '/v1/notifications', { body: write(form.values) })]} />
        }
      />
      <OrganizationField
        privilege="notification_management"
        value={organizationId}
        onChange={(chosen) => form.change({ organizationId: chosen })}
        error={form.problem('organizationId')}
      />
      <NotificationFields form={form} isReadOnly={form.isSubmitting} />
      <SaveBar form={form} label={words.create} />
    </form>
  )
}
