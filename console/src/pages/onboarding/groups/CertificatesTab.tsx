import { Checkbox, NumberInput, Select, Textarea } from '@mantine/core'
import type { Answer } from '@gangway/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { BodyRefusal, withoutBodyRefusal } from '../BodyRefusal.tsx'
import styles from '../Onboarding.module.css'
import type { Group } from '../use-groups.ts'

const route = '/api/enrollment-groups/{id}/certificates'
type Settings = Answer<'get', typeof route>
const PEM = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g
const tiers = [1, 2, 3] as const

/** Certificate settings of the group. */
export default function CertificatesTab({ group }: { group: Group }) {
  const api = useApi()
  const path = { id: group.id }
  const settings = useQuery({
    queryKey: ['certificate-settings', group.id],
    queryFn: ({ signal }) => api.get(route, { path, signal: withTimeout(signal) }),
  })
  if (settings.isPending) return <Loading />
  if (settings.data === undefined)
    return <Failed error={settings.error} onRetry={() => void settings.refetch()} />
  return <SettingsForm key={JSON.stringify(settings.data)} groupId={group.id} saved={settings.data} />
}

function SettingsForm({ groupId, saved }: { groupId: string; saved: Settings }) {
  const { certificates: words } = useWords('groups')
  const api = useApi()
  const cache = useQueryClient()
  const form = useForm({
    draft: `group-certificates-${groupId}`,
    initial: { ...saved, manufacturer_cas: saved.manufacturer_cas.join('\n') },
    validate: ({ manufacturer_cas: text }) =>
      text.replace(PEM, '').trim() === '' ? {} : { manufacturer_cas: words.pemRule },
    submit: async ({ manufacturer_cas: text, ...values }) => {
      const body = { ...values, manufacturer_cas: text.match(PEM) ?? [] }
      const changed = await api.patch(route, { path: { id: groupId }, body, signal: withTimeout() })
      cache.setQueryData(['certificate-settings', groupId], changed)
    },
  })
  const { values, change } = form
  const caProblem = useCaProblem(form.problem, values.manufacturer_cas)
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.form} aria-label={words.title}>
      <BodyRefusal form={form} />
      <p className={styles.note}>
        {words.text} <PageAnchor link={links.certificates()}>{words.seeAll}</PageAnchor>
      </p>
      <Checkbox
        label={words.enabled}
        description={words.enabledHint}
        checked={values.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      <Select
        label={words.tier}
        description={words.tierHint}
        value={String(values.minimum_tier)}
        data={tiers.map((tier) => ({ value: String(tier), label: words.tiers[tier] }))}
        onChange={(tier) => change({ minimum_tier: Number(tier) as (typeof tiers)[number] })}
      />
      {values.minimum_tier > saved.minimum_tier && <Notice kind="warning">{words.tierRaised}</Notice>}
      <NumberInput
        label={words.validity}
        suffix={` ${words.days}`}
        min={1}
        max={3650}
        allowDecimal={false}
        value={values.validity_days}
        error={form.problem('validity_days')}
        onChange={(days) => change({ validity_days: Number(days) })}
      />
      <NumberInput
        label={words.grace}
        description={words.graceHint}
        suffix={` ${words.days}`}
        min={0}
        max={365}
        allowDecimal={false}
        value={values.renewal_grace_days}
        error={form.problem('renewal_grace_days')}
        onChange={(days) => change({ renewal_grace_days: Number(days) })}
      />
      <Textarea
        label={words.cas}
        description={words.casHint}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        {...form.field('manufacturer_cas')}
        error={caProblem}
      />
      <SaveBar form={withoutBodyRefusal(form)} label={words.save} />
    </form>
  )
}

/** The server names a certificate by its index in the list. */
function useCaProblem(problem: (path: string) => string | undefined, text: string) {
  const { certificates: words } = useWords('groups')
  const count = text.match(PEM)?.length ?? 0
  const found = Array.from({ length: count }, (_, index) => problem(`manufacturer_cas.${index}`))
  const at = found.findIndex((one) => one !== undefined)
  return problem('manufacturer_cas') ?? (at === -1 ? undefined : words.caProblem(String(at + 1), found[at]!))
}
