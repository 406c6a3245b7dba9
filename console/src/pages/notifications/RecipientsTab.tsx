import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Answer } from '@gangway/client'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { Name } from '../../parts/Id.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { offerAssets, useAssetsOf } from '../rules/use-assets.ts'
import type { Notification } from './notification.ts'
import styles from './Notifications.module.css'

const route = '/v1/notifications/{notificationId}/recipients'
type Recipient = Answer<'get', typeof route>[number]

const fields = { rule: text(), asset: text() }
const PAGE = 100
const MOST_RULES = 20
const SEARCH_DELAY_MS = 200

/** Who would be told of an alarm on an asset, who would not, and why. */
export default function RecipientsTab({ notification }: { notification: Notification }) {
  const { recipients: words, nothingFound } = useWords('notifications')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const [shown, setShown] = useState<Recipient | null>(null)
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const { rules, isPending, error, retry } = useRules(notification.trigger.alarmTrigger)
  const rule = rules.find(({ id }) => id === state.rule) ?? rules[0]
  const modelId = rule?.entityTypeId ?? ''
  const found = useAssetsOf(modelId, search)
  // A search leaves the asset that was shown before.
  const first = useAssetsOf(modelId).assets
  const named = rule?.entityIds ?? []
  const asset = state.asset || (named[0] ?? first[0]?.id ?? '')
  const offered = offerAssets(named, asset, found.assets, first)
  const path = { notificationId: notification.id }
  const alarmId = rule?.id ?? ''
  const source = usePagedList<Recipient>(
    ['recipients', notification.id, alarmId, asset],
    (cursor, signal) =>
      api.page(route, {
        path,
        query: { alarmId, assetId: asset, limit: PAGE, cursor },
        signal: withTimeout(signal),
      }),
    { isEnabled: alarmId !== '' && asset !== '' },
  )
  const columns = useColumns(setShown)
  if (notification.trigger.alarmTrigger.length === 0)
    return <Empty icon="mail" title={words.noRuleTitle} text={words.noRuleText} />
  return (
    <>
      <p className={styles.quiet}>{words.text}</p>
      <div className={styles.choices}>
        <Select
          label={words.rule}
          data={rules.map(({ id, name }) => ({ value: id, label: name }))}
          value={alarmId || null}
          onChange={(next) => void change({ rule: next ?? '', asset: '' })}
        />
        <Select
          label={words.asset}
          searchable
          nothingFoundMessage={nothingFound}
          // The server has searched names and ids.
          filter={({ options }) => options}
          data={[...offered].map(([value, label]) => ({ value, label }))}
          onSearchChange={(next) => setTyped([...offered.values()].includes(next) ? '' : next)}
          value={asset || null}
          onChange={(next) => void change({ asset: next ?? '' })}
        />
      </div>
      {isPending || (modelId !== '' && asset === '' && found.isPending) ? (
        <Loading />
      ) : rule === undefined && error !== null ? (
        <Failed error={error} onRetry={retry} />
      ) : asset === '' && found.error !== null ? (
        <Failed error={found.error} onRetry={found.retry} />
      ) : asset === '' ? (
        <Empty icon="assets" title={words.noAssetTitle} text={words.noAssetText} />
      ) : (
        <DataTable
          name="recipients"
          label={words.title}
          source={source}
          columns={columns}
          rowKey={({ userId }) => userId}
          rowName={({ displayName }) => displayName}
          empty={<Empty icon="people" title={words.noneTitle} text={words.noneText} />}
        />
      )}
      {shown !== null && <WhyRecipient recipient={shown} onClose={() => setShown(null)} />}
    </>
  )
}

function useColumns(onWhy: (recipient: Recipient) => void): Column<Recipient>[] {
  const { recipients: words } = useWords('notifications')
  const { deliveries } = useWords('alarms')
  return [
    {
      id: 'name',
      title: words.user,
      width: 'minmax(120px, 1.5fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    {
      id: 'receives',
      title: words.receives,
      width: 'minmax(148px, 1.2fr)',
      isOnPhone: true,
      render: (recipient) => (
        <>
          <StateMark state={recipient.receives ? 'good' : 'warning'}>
            {recipient.receives ? words.yes : words.no}
          </StateMark>{' '}
          {!recipient.receives && <WhyButton onClick={() => onWhy(recipient)} />}
        </>
      ),
    },
    {
      id: 'reason',
      title: words.reason,
      width: 'minmax(160px, 2.4fr)',
      render: ({ reason }) => reason !== null && <Name>{deliveries.reasons[reason] ?? reason}</Name>,
    },
    {
      id: 'addresses',
      title: words.addresses,
      width: 'minmax(140px, 2fr)',
      render: ({ channels }) => (
        <Name>
          {channels
            .map(({ channel, address }) => `${deliveries.channels[channel]}: ${address ?? '–'}`)
            .join(', ')}
        </Name>
      ),
    },
  ]
}

function WhyRecipient({ recipient, onClose }: { recipient: Recipient; onClose: () => void }) {
  const { deliveries } = useWords('alarms')
  const reason = recipient.reason ?? ''
  return (
    <WhyPanel
      isOpen
      onClose={onClose}
      reason={deliveries.reasons[reason] ?? reason}
      code={reason}
      cure={deliveries.cures[reason]}
      facts={[[deliveries.recipient, <bdi key="to">{recipient.displayName}</bdi>]]}
    />
  )
}

/** The first rules of the notification, each by a request; those that the user may not see are left out. */
function useRules(ids: string[]) {
  const api = useApi()
  return useQueries({
    queries: ids.slice(0, MOST_RULES).map((alarmId) => ({
      queryKey: ['rule', alarmId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.get('/v1/alarms/{alarmId}', { path: { alarmId }, signal: withTimeout(signal) }),
      staleTime: 60_000,
      retry: false,
    })),
    combine: (results) => ({
      rules: results.flatMap(({ data }) => (data === undefined ? [] : [data])),
      isPending: results.some((result) => result.isPending),
      error: results.find((result) => result.error !== null)?.error ?? null,
      retry: () => results.forEach((result) => void result.refetch()),
    }),
  })
}
