import { useMemo } from 'react'
import { links } from '../../links.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import type { Column } from '../../parts/table/types.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useWords } from '../../words/words.tsx'
import { type Device, findState, stateKinds } from './connection.ts'

/** @param providers for a column of providers; empty if the list has no such column */
export function useDeviceColumns(providers: { id: string; displayName: string }[]): Column<Device>[] {
  const words = useWords('devices')
  return useMemo(
    () => [
      {
        id: 'name',
        title: words.name,
        width: 'minmax(140px, 2fr)',
        render: (device) => (
          <PageAnchor link={links.device(device.providerId, device.id)} tabIndex={-1}>
            <Name>{device.displayName}</Name>
          </PageAnchor>
        ),
      },
      {
        id: 'state',
        title: words.state,
        width: 'minmax(128px, 160px)',
        isOnPhone: true,
        render: (device) => (
          <StateMark state={stateKinds[findState(device)]}>{words[findState(device)]}</StateMark>
        ),
      },
      {
        id: 'since',
        title: words.since,
        width: 'minmax(112px, 160px)',
        render: ({ connection: { connected, connectedAt, disconnectedAt } }) => {
          const at = connected ? connectedAt : disconnectedAt
          return at !== null && <RelativeTime at={at} />
        },
      },
      {
        id: 'message',
        title: words.lastMessage,
        width: 'minmax(112px, 160px)',
        render: ({ connection: { lastMessageAt } }) =>
          lastMessageAt !== null && <RelativeTime at={lastMessageAt} />,
      },
      {
        id: 'firmware',
        title: words.firmware,
        width: 'minmax(96px, 1fr)',
        render: ({ firmwareRelease }) => firmwareRelease !== null && <Name>{firmwareRelease}</Name>,
      },
      {
        id: 'id',
        title: words.id,
        width: 'minmax(140px, 2fr)',
        render: ({ id }) => <Id value={id} name={words.id} isCopied={false} />,
      },
      ...(providers.length === 0
        ? []
        : [
            {
              id: 'provider',
              title: words.provider,
              width: 'minmax(96px, 1fr)',
              render: ({ providerId }: Device) => (
                <Name>{providers.find(({ id }) => id === providerId)?.displayName ?? providerId}</Name>
              ),
            },
          ]),
      {
        id: 'address',
        title: words.address,
        width: 'minmax(120px, 1fr)',
        render: ({ connection: { remoteAddress } }) => <code>{remoteAddress}</code>,
      },
      {
        id: 'reason',
        title: words.lastError,
        width: 'minmax(140px, 2fr)',
        isOptional: true,
        render: ({ connection: { refusedMessage, disconnectMessage } }) => {
          const message = refusedMessage ?? disconnectMessage
          return message !== null && <Name>{message}</Name>
        },
      },
      {
        id: 'description',
        title: words.description,
        width: 'minmax(140px, 2fr)',
        isOptional: true,
        render: ({ description }) => description !== null && <Name>{description}</Name>,
      },
      {
        id: 'template',
        title: words.template,
        isOptional: true,
        render: ({ templateId }) => templateId !== null && <Name>{templateId}</Name>,
      },
    ],
    [words, providers],
  )
}
