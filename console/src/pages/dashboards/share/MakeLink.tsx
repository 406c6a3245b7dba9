import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { CodeBlock } from '../../../parts/code/CodeBlock.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { endOf, LifetimeSelect } from '../../api-tokens/LifetimeSelect.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from './Share.module.css'
import { writeKioskLink } from './kiosk-link.ts'

interface Props {
  dashboardId: string
  /** Called when the link is shown, which happens once, and when it is no longer. */
  onShown: (isShown: boolean) => void
}

/** Makes a link for a screen, and shows it once. */
export function MakeLink({ dashboardId, onShown }: Props) {
  const words = useWords('kiosk')
  const [link, setLink] = useState<string | null>(null)
  const show = (next: string | null) => {
    setLink(next)
    onShown(next !== null)
  }
  if (link === null) return <LinkForm dashboardId={dashboardId} onMade={show} />
  return (
    <div className={styles.fields}>
      <Notice kind="warning">{words.made}</Notice>
      <CodeBlock code={link} name={words.link} />
      <div>
        <Button onClick={() => show(null)}>{words.another}</Button>
      </div>
    </div>
  )
}

function LinkForm({ dashboardId, onMade }: { dashboardId: string; onMade: (link: string) => void }) {
  const words = useWords('kiosk')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const search = useRouterState({ select: ({ location }) => location.searchStr })
  const form = useForm({
    draft: `dashboard-link-${dashboardId}`,
    initial: { displayName: '', days: '90' },
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async ({ displayName, days }) => {
      const { token } = await api.post('/v1/dashboards/{dashboardId}/api-tokens', {
        path: { dashboardId },
        body: { displayName: displayName.trim(), expiresAt: endOf(days)! },
        signal: withTimeout(),
      })
      for (const queryKey of [['dashboard-links'], ['api-tokens']]) void cache.invalidateQueries({ queryKey })
      onMade(writeKioskLink(location.origin, { dashboardId, search, token }))
    },
  })
  return (
    <form className={styles.fields} onSubmit={form.onSubmit} noValidate aria-label={words.make}>
      <TextInput
        autoComplete="off"
        label={words.name}
        description={words.nameHint}
        {...form.field('displayName')}
      />
      <LifetimeSelect
        days={form.values.days}
        onChange={(days) => form.change({ days })}
        error={form.problem('expiresAt')}
      />
      {form.failure !== null && <Refusal error={form.failure} />}
      <div className={styles.line}>
        <Button type="submit" variant="filled" loading={form.isSubmitting}>
          {words.make}
        </Button>
        <span className={styles.text}>{words.opensWith}</span>
      </div>
    </form>
  )
}
