import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { pickChanged } from '../../parts/draft/history.ts'
import { useSaveOver } from '../../parts/draft/use-save-over.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { WhyNot } from '../models/WhyNot.tsx'
import { type ContactGroup, startGroup, writeGroup } from './contact-group.ts'
import { ContactGroupFields } from './ContactGroupFields.tsx'

const route = '/v1/contactgroups/{contactGroupId}'

export default function ContactGroupPage() {
  const { contactGroupId } = useParams({ strict: false }) as { contactGroupId: string }
  const api = useApi()
  const group = useQuery({
    queryKey: ['contact-group', contactGroupId],
    queryFn: ({ signal }) => api.get(route, { path: { contactGroupId }, signal: withTimeout(signal) }),
  })
  if (group.isPending) return <Loading />
  if (group.data === undefined)
    return <Failed isPage error={group.error} onRetry={() => void group.refetch()} />
  return <Detail key={contactGroupId} group={group.data} />
}

function Detail({ group }: { group: ContactGroup }) {
  const { group: words, description } = useWords('notifications')
  const { pages } = useWords('shell')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const path = { contactGroupId: group.id }
  const asked = { resourceType: 'contact_group', resourceId: group.id, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  const isReadOnly = mayManage === false
  const initial = useMemo(() => startGroup(group), [group])
  const saveOver = useSaveOver({
    queryKey: ['contact-group', group.id],
    read: () => api.get(route, { path, signal: withTimeout() }),
    start: startGroup,
  })
  const form = useForm({
    draft: `contact-group-${group.id}`,
    follows: true,
    initial,
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async (values) => {
      await saveOver(values, initial)
      const body = pickChanged(writeGroup(values), writeGroup(initial))
      const saved = await api.patch(route, { path, body, signal: withTimeout() })
      form.settle(values, startGroup(saved))
      cache.setQueryData(['contact-group', group.id], saved)
      void cache.invalidateQueries({ queryKey: ['contact-groups'] })
    },
  })
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={group.displayName} className={page.page}>
      <PageHead
        parent={{ title: words.title, link: links.contactGroups() }}
        title={group.displayName}
        actions={
          <>
            <PageAnchor link={links.access('contact_group', group.id)}>{pages.access}</PageAnchor>
            <CodeExamples requests={[example('get', route, { path })]} />
            <DeleteGroup group={group} isDisabled={mayManage !== true} />
          </>
        }
      />
      {isReadOnly && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
      <ContactGroupFields form={form} isReadOnly={isReadOnly} />
      {!isReadOnly && (
        <SaveBar
          form={form}
          label={words.save}
          labels={{
            displayName: words.name,
            description,
            users: words.users,
            userGroups: words.groups,
          }}
        />
      )}
    </form>
  )
}

function DeleteGroup({ group, isDisabled }: { group: ContactGroup; isDisabled: boolean }) {
  const { group: words } = useWords('notifications')
  const api = useApi()
  return (
    <DeleteButton
      action={words.delete}
      title={words.deleteTitle}
      name={group.displayName}
      isDisabled={isDisabled}
      onDelete={() => api.delete(route, { path: { contactGroupId: group.id }, signal: withTimeout() })}
      next={links.contactGroups()}
      cached={{ one: ['contact-group', group.id], lists: ['contact-groups'] }}
    >
      {words.deleteText}
    </DeleteButton>
  )
}
