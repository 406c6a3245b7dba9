import { Button } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark, type StateKind } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'
import type { Asset, Content } from './contents.ts'

type Status = Schemas['CommandStatus']

const kinds: Record<Status['status'], StateKind> = {
  queued: 'off',
  running: 'active',
  succeeded: 'good',
  failed: 'bad',
  timed_out: 'bad',
  expired: 'warning',
  cancelled: 'off',
}
/** Polling intervals of a command in progress, whose state is not pushed: short ones at first, then long ones. */
const SOON_MS = 2000
const LATER_MS = 15_000
const SOON_FOR_MS = 40_000

interface Props {
  asset: Asset
  content: Content
  sentAtMs: number
}

/** History of the commands of one name, with their states, the newest first. */
export function CommandHistory({ asset, content, sentAtMs }: Props) {
  const { commands: words } = useWords('assets')
  const api = useApi()
  const format = useFormat()
  const [shown, setShown] = useState<Status | null>(null)
  const { componentId, name } = content
  const request = {
    path: { assetId: asset.id, commandName: name },
    query: { limit: 50, ...(componentId !== null && { componentId }) },
  }
  const source = usePagedList<Status>(['commands', asset.id, componentId, name], (cursor, signal) =>
    api.page('/v1/assets/{assetId}/commands/{commandName}/history', {
      ...request,
      query: { ...request.query, cursor },
      signal: withTimeout(signal),
    }),
  )
  const isOpen = source.rows.some(({ status }) => status === 'queued' || status === 'running')
  useReading(isOpen, sentAtMs, source.refresh!)
  const columns: Column<Status>[] = [
    {
      id: 'state',
      title: words.state,
      width: 'minmax(112px, 150px)',
      render: ({ status }) => <StateMark state={kinds[status]}>{words.states[status]}</StateMark>,
    },
    {
      id: 'sent',
      title: words.sent,
      width: 'minmax(96px, 1fr)',
      isOnPhone: true,
      render: ({ requestTimestamp }) => <RelativeTime at={requestTimestamp} />,
    },
    {
      id: 'took',
      title: words.took,
      width: 'minmax(72px, 100px)',
      render: ({ requestTimestamp, responseTimestamp }) =>
        responseTimestamp !== null &&
        format.duration(Date.parse(responseTimestamp) - Date.parse(requestTimestamp)),
    },
    {
      id: 'details',
      title: words.details,
      width: 'minmax(120px, 160px)',
      isOnPhone: true,
      render: (status) => (
        <>
          {kinds[status.status] === 'bad' ? (
            <WhyButton onClick={() => setShown(status)} />
          ) : (
            <button type="button" className={styles.details} onClick={() => setShown(status)}>
              {words.details}
            </button>
          )}{' '}
          {status.status === 'queued' && <Cancel asset={asset} content={content} status={status} />}
        </>
      ),
    },
  ]
  const open = shown === null ? null : (source.rows.find((row) => row.commandId === shown.commandId) ?? shown)
  return (
    <>
      <DataTable
        name="commands"
        label={words.history}
        source={source}
        columns={columns}
        rowKey={({ commandId }) => commandId}
        rowName={({ status, requestTimestamp }) => `${words.states[status]} ${format.full(requestTimestamp)}`}
        fit="content"
        empty={<Empty icon="assets" title={words.noneTitle} text={words.noneText} />}
      />
      {open !== null && <CommandPanel status={open} onClose={() => setShown(null)} />}
    </>
  )
}

/** Polls the history while a command is queued or running. */
function useReading(isOpen: boolean, sentAtMs: number, refresh: () => void) {
  const read = useRef(refresh)
  read.current = refresh
  useEffect(() => {
    if (!isOpen) return
    let timer: ReturnType<typeof setTimeout>
    const wait = () => {
      const pause = Date.now() - sentAtMs < SOON_FOR_MS ? SOON_MS : LATER_MS
      timer = setTimeout(() => {
        if (document.visibilityState === 'visible') read.current()
        wait()
      }, pause)
    }
    wait()
    return () => clearTimeout(timer)
  }, [isOpen, sentAtMs])
}

/** Details of a command. The status message may begin with an error code, which is shown on its own. */
function CommandPanel({ status, onClose }: { status: Status; onClose: () => void }) {
  const { commands: words } = useWords('assets')
  const format = useFormat()
  const [, code, message] = /^([a-z_]+): (.*)$/s.exec(status.statusMessage ?? '') ?? []
  const block = (value: unknown, name: string) =>
    value === null || value === undefined ? (
      words.nothing
    ) : (
      <CodeBlock code={JSON.stringify(value, null, 2)} name={name} />
    )
  return (
    <WhyPanel
      isOpen
      onClose={onClose}
      title={words.panelTitle}
      reason={<bdi>{message ?? status.statusMessage ?? words.reasons[status.status]}</bdi>}
      code={code ?? status.status}
      cure={words.cures[code ?? status.status]}
      facts={[
        [words.sent, format.full(status.requestTimestamp)],
        ...(status.responseTimestamp === null
          ? []
          : [[words.answered, format.full(status.responseTimestamp)] as [string, ReactNode]]),
        [words.payload, block(status.requestPayload, words.payload)],
        [words.response, block(status.responsePayload, words.response)],
      ]}
    />
  )
}

function Cancel({ asset, content, status }: { asset: Asset; content: Content; status: Status }) {
  const { commands: words } = useWords('assets')
  const api = useApi()
  const cache = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const cancel = async () => {
    setRunning(true)
    // The response is ignored, since the history is read again and shows the outcome.
    await api
      .post('/v1/assets/{assetId}/commands/{commandName}/cancel', {
        path: { assetId: asset.id, commandName: content.name },
        body: { commandId: status.commandId, componentId: content.componentId },
        signal: withTimeout(),
      })
      .catch(() => {})
    await cache.invalidateQueries({ queryKey: ['commands', asset.id] })
    setRunning(false)
  }
  return (
    <Button size="compact-xs" loading={isRunning} onClick={() => void cancel()}>
      {words.cancel}
    </Button>
  )
}
