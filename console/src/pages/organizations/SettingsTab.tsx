import { Checkbox, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useSaveOver } from '../../parts/draft/use-save-over.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Notice } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { PrivilegeHolders } from '../access/LostRelations.tsx'
import { type Privilege, privileges } from '../access/privileges.ts'
import { withTimeout } from '../devices/timeout.ts'
import { WhyNot } from '../models/WhyNot.tsx'
import { PickMany } from '../../parts/pick/PickMany.tsx'
import styles from './Organizations.module.css'
import { readSettings, writeChanges } from './settings.ts'
import type { Organization } from './tree.ts'
import { useObjectFinder } from '../access/use-object-finder.ts'

const route = '/v1/organizations/{organizationId}'

/** Name, description, privileges and contacts of an organization. */
export function SettingsTab({ organization }: { organization: Organization }) {
  const words = useWords('organizations')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const path = { organizationId: organization.id }
  const asked = { resourceType: 'organization', resourceId: organization.id, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  const isReadOnly = mayManage !== true
  const above = usePrivilegesAbove(organization.parentOrganizationId)
  const initial = useMemo(() => readSettings(organization), [organization])
  const saveOver = useSaveOver({
    queryKey: ['organization', organization.id],
    read: () => api.get(route, { path, signal: withTimeout() }),
    start: readSettings,
  })
  const form = useForm({
    draft: `organization-${organization.id}`,
    follows: true,
    initial,
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async (values) => {
      // PATCH replaces whole lists, such as the privileges.
      await saveOver(values, initial)
      const body = writeChanges(values, initial)
      const saved = await api.patch(route, { path, body, signal: withTimeout() })
      form.settle(values, readSettings(saved))
      cache.setQueryData(['organization', organization.id], saved)
      for (const first of ['organizations', 'privileges', 'explain', 'object-name'])
        void cache.invalidateQueries({ queryKey: [first] })
    },
  })
  const { values, change } = form
  const removed = initial.privileges.filter((privilege) => !values.privileges.includes(privilege))
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.settings} aria-label={words.tabs.settings}>
      {mayManage === false && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
      <TextInput label={words.name} autoComplete="off" readOnly={isReadOnly} {...form.field('displayName')} />
      <Textarea
        autosize
        minRows={1}
        label={words.description}
        readOnly={isReadOnly}
        {...form.field('description')}
      />
      <Checkbox.Group
        label={words.privileges}
        description={words.privilegesHint}
        value={values.privileges}
        onChange={(next) => change({ privileges: next as Privilege[] })}
        error={form.problem('privileges')}
      >
        <Choices held={values.privileges} above={above} isReadOnly={isReadOnly} />
      </Checkbox.Group>
      {removed.length > 0 && <PrivilegeHolders id={organization.id} privileges={removed} />}
      <PickMany
        {...useObjectFinder('user')}
        label={words.contactUsers}
        description={words.contactsHint}
        value={values.users}
        onChange={(users) => change({ users })}
        error={form.problem('contacts.notifications.users')}
        isReadOnly={isReadOnly}
      />
      <PickMany
        {...useObjectFinder('group')}
        label={words.contactGroups}
        value={values.userGroups}
        onChange={(userGroups) => change({ userGroups })}
        error={form.problem('contacts.notifications.userGroups')}
        isReadOnly={isReadOnly}
      />
      {!isReadOnly && (
        <SaveBar
          form={form}
          label={words.save}
          labels={{
            displayName: words.name,
            description: words.description,
            privileges: words.privileges,
            users: words.contactUsers,
            userGroups: words.contactGroups,
          }}
        />
      )}
    </form>
  )
}

/** A privilege that the organization above does not have can be taken away and not given. */
function Choices(props: { held: Privilege[]; above: readonly string[] | undefined; isReadOnly: boolean }) {
  const words = useWords('organizations')
  const access = useWords('access')
  return (
    <div className={styles.choices}>
      {privileges.map((privilege) => {
        const isAbove = props.above === undefined || props.above.includes(privilege)
        return (
          <Checkbox
            key={privilege}
            value={privilege}
            label={access.privileges[privilege]}
            description={isAbove ? undefined : words.notAbove}
            disabled={props.isReadOnly || (!isAbove && !props.held.includes(privilege))}
          />
        )
      })}
    </div>
  )
}

/** @returns undefined if the organization above is unknown; the server then says what it does not have */
function usePrivilegesAbove(parent: string | null): readonly string[] | undefined {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['organization', parent],
    queryFn: ({ signal }) =>
      api.get(route, { path: { organizationId: parent! }, signal: withTimeout(signal) }),
    enabled: parent !== null,
    retry: false,
  })
  return data?.privileges
}
