import type { Schemas } from '@gangway/client'
import { useState } from 'react'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Id, Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { type Asset, useBindings } from './contents.ts'
import { type Instance, useInstances } from './use-instances.ts'

type Binding = Schemas['BindingSet']['bindings'][number]

/** Endpoint id without its instance, such as `telemetry/running` for `hall-fan/-/telemetry/running`. */
const localName = (endpointId: string) => endpointId.split('/').slice(1).join('/').replace(/^-\//, '')
function readEndpoint(endpointId: string) {
  const [, component = '-', kind = '', ...name] = endpointId.split('/')
  return { component, kind, name: name.join('/') }
}

const instanceOf = (endpointId: string) => endpointId.split('/')[0]!

/** Bindings of an asset: the source or target of each signal, property and command. */
export default function BindingsTab({ asset }: { asset: Asset }) {
  const { bindings: words, tabs } = useWords('assets')
  const format = useFormat()
  const set = useBindings(asset.id)
  const [shown, setShown] = useState<Binding | null>(null)
  const instances = useInstances(
    (set.data?.bindings ?? []).flatMap(({ remoteEndpointIds }) =>
      remoteEndpointIds.map(({ endpointId }) => instanceOf(endpointId)),
    ),
  )
  if (set.isPending) return <Loading />
  if (set.data === undefined) return <Failed error={set.error} onRetry={() => void set.refetch()} />
  const { bindings, unboundEndpointIds, ignoreEndpointIds } = set.data
  const edit = (
    <PageAnchor className={styles.linkButton} link={links.bindings(asset.id)}>
      {words.edit}
    </PageAnchor>
  )
  const columns: Column<Binding>[] = [
    {
      id: 'local',
      title: words.local,
      width: 'minmax(140px, 2fr)',
      render: ({ localEndpointId }) => <Name>{localName(localEndpointId)}</Name>,
    },
    {
      id: 'remote',
      title: words.remote,
      width: 'minmax(140px, 3fr)',
      isOnPhone: true,
      render: ({ remoteEndpointIds }) => <Remotes remotes={remoteEndpointIds} found={instances.data} />,
    },
    {
      id: 'transform',
      title: words.transform,
      width: 'minmax(120px, 2fr)',
      render: ({ transform }) =>
        transform === null ? null : (
          <code title={JSON.stringify(transform, null, 2)}>{JSON.stringify(transform)}</code>
        ),
    },
    {
      id: 'origin',
      title: words.origin,
      width: 'minmax(96px, 130px)',
      render: ({ origin }) => words.origins[origin],
    },
    {
      id: 'state',
      title: words.error,
      width: 'minmax(88px, 120px)',
      isOnPhone: true,
      render: (binding) =>
        binding.lastError !== undefined && (
          <span className={styles.wrong}>
            <Icon name="warning" size={14} /> <WhyButton onClick={() => setShown(binding)} />
          </span>
        ),
    },
  ]
  return (
    <div className={styles.scroll}>
      <div className={styles.bar}>
        <p>
          {words.summary(format.number(bindings.length), unboundEndpointIds.length, ignoreEndpointIds.length)}
        </p>
        {edit}
      </div>
      {unboundEndpointIds.length > 0 && bindings.length > 0 && (
        <Notice kind="info">
          {words.unbound} <bdi>{unboundEndpointIds.slice(0, 20).map(localName).join(', ')}</bdi>
        </Notice>
      )}
      <DataTable
        name="asset-bindings"
        label={tabs.bindings}
        source={shownRows(bindings)}
        columns={columns}
        rowKey={({ localEndpointId }) => localEndpointId}
        rowName={({ localEndpointId }) => localEndpointId}
        rowLink={({ localEndpointId }) => links.binding(asset.id, readEndpoint(localEndpointId))}
        fit="content"
        empty={<Empty icon="assets" title={words.emptyTitle} text={words.emptyText} action={edit} />}
      />
      {shown?.lastError !== undefined && (
        <WhyPanel
          isOpen
          onClose={() => setShown(null)}
          title={words.whyTitle}
          reason={<bdi>{shown.lastError.message}</bdi>}
          cure={words.cure}
          facts={[
            [words.local, <code key="local">{shown.localEndpointId}</code>],
            ...(shown.lastError.time === null
              ? []
              : [[words.since, format.full(shown.lastError.time)] as [string, string]]),
          ]}
        />
      )}
    </div>
  )
}

function Remotes({
  remotes,
  found,
}: {
  remotes: Binding['remoteEndpointIds']
  found: ReadonlyMap<string, Instance> | undefined
}) {
  return (
    <span className={styles.remotes}>
      {remotes.map(({ endpointId }) => {
        const instance = found?.get(instanceOf(endpointId))
        return (
          <span key={endpointId} title={endpointId}>
            {instance === undefined ? (
              <Id value={instanceOf(endpointId)} name={endpointId} isCopied={false} />
            ) : (
              <PageAnchor link={instance.link}>
                <bdi>{instance.name}</bdi>
              </PageAnchor>
            )}{' '}
            <code>{localName(endpointId)}</code>
          </span>
        )
      })}
    </span>
  )
}
