import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { Name } from '../../parts/Id.tsx'
import { type StateKind, StateMark } from '../../parts/StateMark.tsx'
import type { Column } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import { type EndpointRow, labelEndpoint, parseEndpoint } from './binding.ts'
import styles from './Bindings.module.css'

const marks: Record<EndpointRow['state'], StateKind> = {
  failing: 'bad',
  bound: 'good',
  unbound: 'warning',
  ignored: 'off',
}

export function useBindingColumns(): Column<EndpointRow>[] {
  const words = useWords('bindings')
  return [
    {
      id: 'endpoint',
      title: words.endpoint,
      width: 'minmax(140px, 1.4fr)',
      render: (row) => <Name>{labelEndpoint(row)}</Name>,
    },
    { id: 'kind', title: words.kind, width: '96px', render: ({ kind }) => words.kinds[kind] },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(112px, 0.8fr)',
      isOnPhone: true,
      render: ({ state }) => <StateMark state={marks[state]}>{words.states[state]}</StateMark>,
    },
    {
      id: 'source',
      title: words.source,
      width: 'minmax(160px, 2fr)',
      render: ({ binding }) =>
        binding && (
          <Name>{binding.remoteEndpointIds.map(({ endpointId }) => labelRemote(endpointId)).join(', ')}</Name>
        ),
    },
    {
      id: 'origin',
      title: words.origin,
      width: 'minmax(112px, 0.8fr)',
      render: ({ binding }) => binding && words.origins[binding.origin],
    },
    {
      id: 'transform',
      title: words.transform,
      width: 'minmax(120px, 1.4fr)',
      render: ({ binding }) => {
        const logic = binding?.transform ?? binding?.inverseTransform
        return logic ? (
          <code className={styles.logic} title={JSON.stringify(logic)}>
            <bdi>{JSON.stringify(logic)}</bdi>
          </code>
        ) : (
          binding && <span className={styles.quiet}>{words.unchanged}</span>
        )
      },
    },
    {
      id: 'error',
      title: words.lastError,
      width: 'minmax(140px, 1.6fr)',
      render: ({ binding }) =>
        binding?.lastError && (
          <span className={styles.cut} title={binding.lastError.message}>
            {binding.lastError.time !== null && (
              <>
                <RelativeTime at={binding.lastError.time} />
                {': '}
              </>
            )}
            <bdi>{binding.lastError.message}</bdi>
          </span>
        ),
    },
  ]
}

/** Writes `plc · temperature`, with the component unless it is the root. */
const labelRemote = (endpointId: string) => {
  const endpoint = parseEndpoint(endpointId)
  return `${endpoint.instanceId} · ${labelEndpoint(endpoint)}`
}
