import { Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { pickChanged } from '../../../parts/draft/history.ts'
import { SaveBar } from '../../../parts/form/SaveBar.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Name } from '../../../parts/Id.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Settings.module.css'
import { type Plan, plans, type Tenant, tenantRoute } from './tenant.ts'

const start = ({ displayName, plan }: Tenant) => ({ displayName, plan })

/** The name and the plan of a tenant. */
export function SettingsTab({ tenant }: { tenant: Tenant }) {
  const { tenants: words } = useWords('settings')
  const { privileges: names } = useWords('access')
  const common = useWords('common')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const initial = useMemo(() => start(tenant), [tenant])
  const form = useForm({
    draft: `tenant-${tenant.id}`,
    follows: true,
    initial,
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async (values) => {
      const saved = await api.patch(tenantRoute, {
        path: { tenantId: tenant.id },
        // Somebody else may have changed the rest.
        body: pickChanged({ ...values, displayName: values.displayName.trim() }, initial),
        signal: withTimeout(),
      })
      form.settle(values, start(saved))
      cache.setQueryData(['tenant', tenant.id], saved)
      void cache.invalidateQueries({ queryKey: ['tenants'] })
    },
  })
  const { oidc, privileges, createdAt } = tenant
  return (
    <div className={styles.scroll}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.tabs.settings}>
        <TextInput label={words.name} autoComplete="off" {...form.field('displayName')} />
        <Select
          label={words.plan}
          description={words.planHint}
          data={plans.map((plan) => ({ value: plan, label: words.plans[plan] }))}
          value={form.values.plan}
          onChange={(plan) => plan !== null && form.change({ plan: plan as Plan })}
          error={form.problem('plan')}
        />
        <SaveBar form={form} label={words.save} />
      </form>
      <Facts
        entries={[
          [words.created, format.full(createdAt)],
          [
            words.privileges,
            privileges.length === 0 ? words.none : privileges.map((one) => names[one] ?? one).join(', '),
          ],
          [words.issuer, oidc === null ? words.none : <Name key="issuer">{oidc.issuer}</Name>],
        ]}
      />
    </div>
  )
}
