import { Textarea, TextInput } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { pickChanged } from '../../parts/draft/history.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { RelationsOf, RelationsOn } from '../access/RelationsTab.tsx'
import { LostRelationsOf } from '../access/LostRelations.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { DisabledReason } from '../models/DisabledReason.tsx'
import { WhyNot } from '../models/WhyNot.tsx'
import styles from './People.module.css'
import { PrivilegesTab } from './PrivilegesTab.tsx'

type Group = Schemas['Group']
const route = '/v1/groups/{groupId}'
const fields = { tab: choice(['members', 'relations', 'privileges', 'profile']) }

/** One group of users: its members, what relations give it, and its name. */
export default function GroupPage() {
  const { groupId } = useParams({ strict: false }) as { groupId: string }
  const words = useWords('people')
  const access = useWords('access')
  const api = useApi()
  const [{ tab }, change] = useUrlState(fields)
  const path = { groupId }
  const found = useQuery({
    queryKey: ['user-group', groupId],
    queryFn: ({ signal }) => api.get(route, { path, signal: withTimeout(signal) }),
  })
  if (found.isPending) return <Loading />
  if (found.data === undefined)
    return <Failed isPage error={found.error} onRetry={() => void found.refetch()} />
  const group = found.data
  return (
    <DetailLayout
      parent={{ title: words.group.title, link: links.userGroups() }}
      title={group.displayName}
      label={group.displayName}
      facts={
        <>
          <Id value={group.id} name={words.id} />
          <PageAnchor link={links.access('group', group.id)}>{access.of(group.displayName)}</PageAnchor>
          <PageAnchor link={links.audit({ type: 'group', id: group.id, range: '1y' })}>
            {access.audit}
          </PageAnchor>
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', route, { path })]} />
          <DeleteGroup group={group} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        {
          id: 'members',
          title: words.tabs.members,
          render: () => <RelationsOn type="group" id={group.id} />,
        },
        {
          id: 'relations',
          title: words.tabs.relations,
          render: () => <RelationsOf type="group" id={group.id} />,
        },
        {
          id: 'privileges',
          title: words.tabs.privileges,
          render: () => <PrivilegesTab type="group" id={group.id} />,
        },
        { id: 'profile', title: words.tabs.profile, render: () => <Profile group={group} /> },
      ]}
    />
  )
}

function Profile({ group }: { group: Group }) {
  const { group: words, name, save } = useWords('people')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const asked = { resourceType: 'group', resourceId: group.id, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  const isReadOnly = mayManage !== true
  const initial = useMemo(() => readGroup(group), [group])
  const form = useForm({
    draft: `user-group-${group.id}`,
    follows: true,
    initial,
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async (values) => {
      const saved = await api.patch(route, {
        path: { groupId: group.id },
        // Somebody else may have changed the rest.
        body: pickChanged(writeGroup(values), writeGroup(initial)),
        signal: withTimeout(),
      })
      form.settle(values, readGroup(saved))
      cache.setQueryData(['user-group', group.id], saved)
      void cache.invalidateQueries({ queryKey: ['user-groups'] })
      void cache.invalidateQueries({ queryKey: ['object-name', 'group', group.id] })
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate className={styles.profile} aria-label={words.title}>
      {mayManage === false && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
      <TextInput label={name} autoComplete="off" readOnly={isReadOnly} {...form.field('displayName')} />
      <Textarea
        autosize
        minRows={2}
        label={words.description}
        readOnly={isReadOnly}
        {...form.field('description')}
      />
      {!isReadOnly && <SaveBar form={form} label={save} />}
    </form>
  )
}

const readGroup = ({ displayName, description }: Group) => ({
  displayName,
  description: description ?? '',
})

const writeGroup = ({ displayName, description }: ReturnType<typeof readGroup>) => ({
  displayName: displayName.trim(),
  description: description.trim() || null,
})

function DeleteGroup({ group }: { group: Group }) {
  const { group: words } = useWords('people')
  const api = useApi()
  const asked = { resourceType: 'group', resourceId: group.id, permission: 'delete' } as const
  const mayDelete = useExplainedPermission(asked).data?.result
  return (
    <>
      <DisabledReason reason={words.mayNotRemove} asked={asked} />
      <DeleteButton
        action={words.remove}
        title={words.removeTitle}
        name={group.displayName}
        isDisabled={mayDelete !== true}
        onDelete={() => api.delete(route, { path: { groupId: group.id }, signal: withTimeout() })}
        next={links.userGroups()}
        cached={{ one: ['user-group', group.id], lists: ['user-groups'] }}
      >
        <p>{words.removeText}</p>
        <LostRelationsOf type="group" id={group.id} />
      </DeleteButton>
    </>
  )
}
