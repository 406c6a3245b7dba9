import { Button, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Answer } from '@gangway/client'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { markOptions } from '../../parts/outdated-list.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'

const route = '/v1/assets/{assetId}/replace-device'
type Replacement = Answer<'post', typeof route>

const SHOWN = 20

interface Props {
  /** An asset that is bound to the old device. The bindings of all other assets move, too. */
  assetId: string
  /** Id of the old device. */
  from: string
  onClose: () => void
}

/** Choice of the new device; then what the replacement will do, and its button. */
export function ReplaceWith(props: Props) {
  const [to, setTo] = useState<string | null>(null)
  return (
    <>
      <DeviceField exclude={props.from} value={to} onChange={setTo} />
      {to !== null && <Plan key={to} {...props} to={to} />}
    </>
  )
}

export const labelDevice = (id: string, name: string) => (name === id ? id : `${name} (${id})`)

const SEARCH_DELAY_MS = 200
const MOST = 20

/** Select field of the new device, among the devices of all providers. */
function DeviceField(props: {
  exclude: string
  value: string | null
  onChange: (id: string | null) => void
}) {
  const { replace: words, nothingFound } = useWords('assets')
  const api = useApi()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const found = useQuery({
    queryKey: ['found-devices', search],
    queryFn: ({ signal }) =>
      api.get('/v1/provider-clients', {
        query: { limit: MOST, search: search || undefined },
        signal: withTimeout(signal),
      }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
  const options = (found.data ?? [])
    .filter(({ id }) => id !== props.exclude)
    .map(({ id, displayName }) => ({ value: id, label: labelDevice(id, displayName) }))
  return (
    <Select
      {...markOptions(typed.trim() !== search || found.isPlaceholderData)}
      label={words.to}
      description={words.toHint}
      searchable
      nothingFoundMessage={nothingFound}
      filter={({ options: all }) => all}
      data={options}
      value={props.value}
      onChange={props.onChange}
      onSearchChange={(text) => setTyped(options.some(({ label }) => label === text) ? '' : text)}
    />
  )
}

/** Result of a dry run, and the button that replaces the device. */
function Plan({ assetId, from, to, onClose }: Props & { to: string }) {
  const { replace: words } = useWords('assets')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const path = { assetId }
  const dry = useQuery({
    queryKey: ['replace', assetId, from, to],
    queryFn: ({ signal }) =>
      api.post(route, { path, body: { from, to, dryRun: true }, signal: withTimeout(signal) }),
    gcTime: 0,
    retry: false,
  })
  const run = async () => {
    setRunning(true)
    setFailure(null)
    try {
      await api.post(route, { path, body: { from, to }, signal: withTimeout() })
      await cache.invalidateQueries({ queryKey: ['asset-bindings'] })
      await cache.invalidateQueries({ queryKey: ['asset'] })
      await cache.invalidateQueries({ queryKey: ['device-bindings'] })
      onClose()
    } catch (error) {
      setFailure(error)
    } finally {
      setRunning(false)
    }
  }
  if (dry.isPending) return <Loading rows={3} />
  if (dry.data === undefined) return <Refusal error={dry.error} />
  return (
    <>
      <PlanFacts plan={dry.data} />
      {failure !== null && <Refusal error={failure} />}
      <div className={styles.dialogActions}>
        <Button onClick={onClose}>{common.cancel}</Button>
        <Button variant="filled" loading={isRunning} onClick={() => void run()}>
          {words.action}
        </Button>
      </div>
    </>
  )
}

function PlanFacts({ plan }: { plan: Replacement }) {
  const { replace: words } = useWords('assets')
  const format = useFormat()
  const assets = new Set(plan.moved.map(({ localEndpointId }) => localEndpointId.split('/')[0]))
  return (
    <section className={styles.impact} aria-label={words.plan}>
      <p>{words.moved(plan.moved.length, assets.size)}</p>
      <ul className={styles.changes}>
        {plan.moved.slice(0, SHOWN).map(({ localEndpointId }) => (
          <li key={localEndpointId}>
            <code>
              <bdi>{localEndpointId}</bdi>
            </code>
          </li>
        ))}
      </ul>
      {plan.moved.length > SHOWN && (
        <p className={styles.note}>{words.more(format.number(plan.moved.length - SHOWN))}</p>
      )}
      <ul className={styles.takes}>
        <li>{words.history}</li>
        <li>{words.commands(plan.movedCommands)}</li>
        <li>{words.desired}</li>
      </ul>
      {plan.problems.length > 0 && (
        <div>
          <h3 className={styles.label}>
            <StateMark state="warning">{words.problems(plan.problems.length)}</StateMark>
          </h3>
          <ul className={styles.changes}>
            {plan.problems.slice(0, SHOWN).map(({ localEndpointId, message }) => (
              <li key={`${localEndpointId} ${message}`}>
                {localEndpointId !== null && <code>{localEndpointId}</code>} <bdi>{message}</bdi>
              </li>
            ))}
          </ul>
          <p className={styles.note}>{words.problemsText}</p>
        </div>
      )}
    </section>
  )
}
