import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Name } from '../../parts/Id.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Notification } from './notification.ts'

const fields = { search: text(), rule: text() }
const PAGE = 100

/** Lists the notifications: for which alarms they are sent, to which contact groups, and by which channels. */
export default function NotificationList() {
  const words = useWords('notifications')
  const api = useApi()
  const router = useRouter()
  const [{ search, rule }, change] = useUrlState(fields)
  const query = useMemo(
    () => ({ limit: PAGE, search: search || undefined, alarmId: rule || undefined }),
    [search, rule],
  )
  const source = usePagedList<Notification>(['notifications', query], (cursor, signal) =>
    api.page('/v1/notifications', { query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  const ruleName = useRuleName(rule)
  const open = (link: object) => void router.navigate(link as never)
  const create = (
    <CreateButton
      privilege="notification_management"
      onClick={() => open(links.newNotification(rule === '' ? {} : { rule }))}
    >
      {words.create}
    </CreateButton>
  )
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample('/v1/notifications', { query })]} />
          <Button leftSection={<Icon name="people" />} onClick={() => open(links.contactGroups())}>
            {words.contactGroups}
          </Button>
          {create}
        </>
      }
    >
      <DataTable
        name="notifications"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.notification(id)}
        search={{ value: search, onChange: (next) => void change({ search: next }), label: words.search }}
        filters={
          rule === ''
            ? []
            : [
                {
                  id: 'rule',
                  label: words.ofRule,
                  options: [{ value: rule, label: ruleName }],
                  value: rule,
                  onChange: (next) => void change({ rule: next }),
                },
              ]
        }
        empty={<Empty icon="mail" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
    </ListPage>
  )
}

/** The name of the rule in the address; its id while it is not known. */
function useRuleName(alarmId: string): string {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['rule', alarmId],
    enabled: alarmId !== '',
    queryFn: ({ signal }) =>
      api.get('/v1/alarms/{alarmId}', { path: { alarmId }, signal: withTimeout(signal) }),
    staleTime: 60_000,
    retry: false,
  })
  return data?.name ?? alarmId
}

function useColumns(): Column<Notification>[] {
  const words = useWords('notifications')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'channels',
      title: words.channels,
      width: 'minmax(112px, 1fr)',
      isOnPhone: true,
      render: ({ channels: { email, sms } }) =>
        email.active || sms.active ? (
          [email.active && words.email, sms.active && words.sms].filter(Boolean).join(', ')
        ) : (
          <StateMark state="off">{words.noChannel}</StateMark>
        ),
    },
    {
      id: 'rules',
      title: words.rules,
      width: '88px',
      align: 'end',
      render: ({ trigger }) => format.number(trigger.alarmTrigger.length),
    },
    {
      id: 'to',
      title: words.to,
      width: 'minmax(160px, 2fr)',
      render: ({ broadcast, subscribers }) => {
        const count = subscribers.contactGroups.length
        const parts = [broadcast && words.toOrganization, count > 0 && words.toGroups(count)]
        return parts.some(Boolean) ? (
          parts.filter(Boolean).join(', ')
        ) : (
          <StateMark state="warning">{words.toNobody}</StateMark>
        )
      },
    },
    {
      id: 'description',
      title: words.description,
      width: 'minmax(120px, 2fr)',
      isOptional: true,
      render: ({ description }) => description !== null && <Name>{description}</Name>,
    },
  ]
}
