import { Button, Drawer } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import type { Attempt } from '../../../parts/doctor/finding.ts'
import { Name } from '../../../parts/Id.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { Empty } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../../parts/why/WhyButton.tsx'
import { choice, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { isTime, resolveSince, spans } from '../../devices/since.ts'
import { SectionNav } from '../Section.tsx'
import { AttemptDetails } from './AttemptDetails.tsx'

const outcomes = ['succeeded', 'refused', 'failed'] as const
const kinds = ['settings', 'provisioning', 'certificate', 'mqtt_sign_in', 'tls_handshake'] as const
const fields = {
  outcome: choice(['', ...outcomes, 'unsuccessful']),
  kind: choice(['', ...kinds]),
  device: text(),
  since: text(),
  attempt: text(),
}
const PAGE = 100
/** Attempts are not pushed; requests for them count for no rate limit. */
const REFRESH_MS = 5000

/** The onboarding and connection attempts of devices, with the reasons of their failures. */
export default function Trace() {
  const words = useWords('trace')
  const common = useWords('common')
  const api = useApi()
  const format = useFormat()
  const [{ attempt: shownKey, ...state }, change] = useUrlState(fields)
  const request = {
    query: {
      limit: PAGE,
      outcome: state.outcome || undefined,
      kind: state.kind || undefined,
      device_id: state.device || undefined,
      since: resolveSince(state.since, Date.now()),
    },
  }
  const source = usePagedList<Attempt>(
    ['trace', state],
    (cursor, signal) => api.page('/api/onboarding/attempts', { query: { ...request.query, cursor }, signal }),
    { refreshMs: REFRESH_MS },
  )
  const shown = source.rows.find((attempt) => keyOf(attempt) === shownKey)
  const show = useCallback((attempt: Attempt) => void change({ attempt: keyOf(attempt) }), [change])
  return (
    <>
      <SectionNav />
      <ListPage
        title={words.title}
        text={source.rows.length === 0 ? words.what : undefined}
        actions={<CodeExamples requests={[listExample('/api/onboarding/attempts', request)]} />}
      >
        <DataTable
          name="trace"
          label={words.title}
          source={source}
          columns={useColumns(show)}
          rowKey={keyOf}
          rowName={({ device_id }) => device_id || words.noId}
          onRowOpen={show}
          search={{ value: state.device, onChange: (device) => void change({ device }), label: words.search }}
          filters={[
            {
              id: 'outcome',
              label: words.outcome,
              options: ([...outcomes, 'unsuccessful'] as const).map((value) => ({
                value,
                label: words.outcomes[value],
              })),
              value: state.outcome,
              onChange: (outcome) => void change({ outcome: outcome as typeof state.outcome }),
            },
            {
              id: 'kind',
              label: words.kind,
              options: kinds.map((value) => ({ value, label: words.kinds[value] })),
              value: state.kind,
              onChange: (kind) => void change({ kind: kind as typeof state.kind }),
            },
            {
              id: 'since',
              label: words.since,
              options: [
                ...spans.map((value) => ({ value: value as string, label: words.spans[value] })),
                ...(isTime(state.since)
                  ? [{ value: state.since, label: words.sinceTime(format.full(state.since)) }]
                  : []),
              ],
              value: state.since,
              onChange: (since) => void change({ since }),
            },
          ]}
          empty={
            <Empty
              icon="onboarding"
              title={words.emptyTitle}
              text={words.emptyText}
              action={
                <Button renderRoot={(props) => <Link {...props} to={'/onboarding/first-device' as string} />}>
                  {words.firstDevice}
                </Button>
              }
            />
          }
        />
        <Drawer
          opened={shownKey !== '' && !source.isLoading}
          onClose={() => void change({ attempt: '' })}
          size="lg"
          title={shown === undefined ? words.attempt : <bdi>{shown.device_id || words.noId}</bdi>}
          closeButtonProps={{ 'aria-label': common.close }}
        >
          {shown === undefined ? <p>{words.gone}</p> : <AttemptDetails attempt={shown} />}
        </Drawer>
      </ListPage>
    </>
  )
}

const keyOf = ({ kind, device_id, code, address, first_started_at, enrollment_group_id }: Attempt) =>
  [kind, device_id, code, address, first_started_at, enrollment_group_id].join(' ')

const outcomeStates = { succeeded: 'good', refused: 'bad', failed: 'warning' } as const

function useColumns(onShow: (attempt: Attempt) => void): Column<Attempt>[] {
  const words = useWords('trace')
  const doctor = useWords('doctor')
  const format = useFormat()
  return useMemo(
    () => [
      {
        id: 'device',
        title: words.device,
        width: 'minmax(88px, 2fr)',
        render: ({ device_id }) => (device_id === '' ? <span>{words.noId}</span> : <Name>{device_id}</Name>),
      },
      {
        id: 'attempt',
        title: words.attempt,
        width: 'minmax(120px, 1fr)',
        render: ({ kind }) => words.kinds[kind],
      },
      {
        id: 'reason',
        title: words.outcome,
        width: 'minmax(160px, 2fr)',
        isOnPhone: true,
        render: (attempt) => (
          <StateMark state={outcomeStates[attempt.outcome]}>
            {attempt.outcome === 'succeeded'
              ? words.outcomes.succeeded
              : (doctor.faults[attempt.code]?.name ?? attempt.code.replaceAll('_', ' '))}
          </StateMark>
        ),
      },
      {
        id: 'why',
        title: words.reason,
        width: '64px',
        isOnPhone: true,
        render: (attempt) => <WhyButton onClick={() => onShow(attempt)} />,
      },
      {
        id: 'count',
        title: words.count,
        width: '72px',
        align: 'end',
        render: ({ count }) => format.number(count),
      },
      {
        id: 'at',
        title: words.at,
        width: 'minmax(104px, 140px)',
        render: ({ started_at }) => <RelativeTime at={started_at} />,
      },
      {
        id: 'address',
        title: words.address,
        width: 'minmax(112px, 1fr)',
        render: ({ address }) => address !== null && <code>{address}</code>,
      },
    ],
    [words, doctor, format, onShow],
  )
}
