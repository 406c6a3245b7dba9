import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { usePolling } from '../firmware/use-polling.ts'
import { ProgressTab } from './ProgressTab.tsx'
import { SetupTab } from './SetupTab.tsx'
import { type Simulation, simulationMarks } from './simulation.ts'
import { useMissingRights } from './use-missing-rights.ts'
import { WhyNotStarted } from './WhyNotStarted.tsx'

const route = '/v1/simulations/{simulationId}'
const fields = { tab: choice(['progress', 'setup']) }

export default function SimulationPage() {
  const { simulationId } = useParams({ strict: false }) as { simulationId: string }
  const api = useApi()
  const { chooseIntervalMs, restart } = usePolling()
  const simulation = useQuery({
    queryKey: ['simulation', simulationId],
    queryFn: ({ signal }) => api.get(route, { path: { simulationId }, signal: withTimeout(signal) }),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.state === 'stopped' ? false : chooseIntervalMs(),
  })
  if (simulation.isPending) return <Loading />
  if (simulation.data === undefined)
    return <Failed isPage error={simulation.error} onRetry={() => void simulation.refetch()} />
  return (
    <Detail
      key={simulationId}
      simulation={simulation.data}
      asOfMs={simulation.dataUpdatedAt}
      error={simulation.error}
      onChanged={restart}
      onRetry={() => void simulation.refetch()}
    />
  )
}

interface DetailProps {
  simulation: Simulation
  asOfMs: number
  /** Why the progress could not be read again. */
  error: unknown
  /** Called after the user has started or stopped it. */
  onChanged: () => void
  onRetry: () => void
}

function Detail({ simulation, asOfMs, error, onChanged, onRetry }: DetailProps) {
  const words = useWords('simulations')
  const [{ tab }, change] = useUrlState(fields)
  const { id, displayName, state, startedAt } = simulation
  const control = useControl(id, onChanged)
  const missing = useMissingRights(simulation)
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.simulations() }}
      title={displayName}
      label={displayName}
      facts={
        <>
          <StateMark state={simulationMarks[state]}>{words.states[state]}</StateMark>
          <span>
            {startedAt === null ? (
              words.notStarted
            ) : (
              <>
                {words.started} <RelativeTime at={startedAt} />
              </>
            )}
          </span>
          <Id value={id} name={words.id} />
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', route, { path: { simulationId: id } })]} />
          <WhyNotStarted missing={missing} />
          {state === 'stopped' || state === 'stopping' ? (
            <Button
              variant="filled"
              loading={control.isPending}
              disabled={state === 'stopping' || missing.assets || missing.toView.length > 0}
              onClick={() => control.mutate('start')}
            >
              {words.start}
            </Button>
          ) : (
            <Button loading={control.isPending} onClick={() => control.mutate('stop')}>
              {words.stop}
            </Button>
          )}
          <DeleteSimulation simulation={simulation} isDisabled={missing.assets} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        {
          id: 'progress',
          title: words.tabs.progress,
          render: () => <ProgressTab simulation={simulation} asOfMs={asOfMs} />,
        },
        { id: 'setup', title: words.tabs.setup, render: () => <SetupTab simulation={simulation} /> },
      ]}
    >
      {error !== null && <Outdated error={error} onRetry={onRetry} />}
      {control.error !== null && <Refusal error={control.error} />}
    </DetailLayout>
  )
}

function useControl(simulationId: string, onChanged: () => void) {
  const api = useApi()
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (event: 'start' | 'stop') =>
      api.post(`${route}/${event}`, { path: { simulationId }, signal: withTimeout() }),
    onSettled: async () => {
      onChanged()
      void cache.invalidateQueries({ queryKey: ['simulations'] })
      await cache.invalidateQueries({ queryKey: ['simulation', simulationId] })
    },
  })
}

function DeleteSimulation({ simulation, isDisabled }: { simulation: Simulation; isDisabled: boolean }) {
  const words = useWords('simulations')
  const format = useFormat()
  const api = useApi()
  const { id, displayName, count, deviceIdPrefix } = simulation
  return (
    <DeleteButton
      action={words.delete}
      title={words.deleteTitle}
      name={displayName}
      isDisabled={isDisabled}
      onDelete={() => api.delete(route, { path: { simulationId: id }, signal: withTimeout() })}
      next={links.simulations()}
      cached={{ one: ['simulation', id], lists: ['simulations'] }}
    >
      {words.deleteText(format.number(count), deviceIdPrefix)}
    </DeleteButton>
  )
}
