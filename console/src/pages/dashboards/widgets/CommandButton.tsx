import { Button, Modal } from '@mantine/core'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { CodeBlock } from '../../../parts/code/CodeBlock.tsx'
import { useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { Widget } from '../board/board.ts'
import { listAssets } from '../board/signals.ts'
import { useBoardValues } from '../values/board-context.ts'
import type { WidgetKind } from './kind.ts'
import { useAsset } from './use-asset-model.ts'
import { WidgetNote } from './WidgetState.tsx'
import styles from './Widgets.module.css'

export const commandButton: WidgetKind = {
  kind: 'commandButton',
  icon: 'right',
  size: { w: 3, h: 2 },
  View: CommandButton,
  sends: true,
  fields: ['asset', 'command'],
  initial: { commandName: '', confirm: true },
}

interface CommandOptions {
  assetId?: string
  variable?: string
  componentId?: string | null
  commandName: string
  payload?: unknown
  label?: string
  confirm?: boolean
}

function CommandButton({ widget }: { widget: Widget }) {
  const words = useWords('dashboards')
  const { bindings } = useBoardValues()
  const options = widget.options as unknown as CommandOptions
  const assets = listAssets(options, bindings)
  if (assets.length === 0 || options.commandName === '') return <WidgetNote>{words.noAsset}</WidgetNote>
  if (assets.length === 1) return <CheckedButton key={assets[0]} assetId={assets[0]!} options={options} />
  return (
    <div className={styles.commands}>
      {assets.map((assetId) => (
        <SendButton key={assetId} assetId={assetId} options={options} isNamed />
      ))}
    </div>
  )
}

/** Asks for the permission before. With many assets that is a request for each, so there the answer says it. */
function CheckedButton({ assetId, options }: Pick<SendProps, 'assetId' | 'options'>) {
  const allowed = useExplainedPermission({ resourceType: 'asset', resourceId: assetId, permission: 'manage' })
  return (
    <div className={styles.commands}>
      <SendButton assetId={assetId} options={options} isForbidden={allowed.data?.result === false} />
    </div>
  )
}

interface SendProps {
  assetId: string
  options: CommandOptions
  isNamed?: boolean
  isForbidden?: boolean
}

function SendButton({ assetId, options, isNamed = false, isForbidden = false }: SendProps) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const format = useFormat()
  const { isSending, sentAtMs, failure, send } = useSend(assetId, options)
  const [isAsking, setAsking] = useState(false)
  const name = options.label ?? options.commandName
  const label = isNamed ? `${name} · ${assetId}` : name
  return (
    <div className={styles.command}>
      <Button
        fullWidth
        variant="filled"
        loading={isSending}
        disabled={isForbidden}
        title={label}
        onClick={() => (options.confirm === false ? void send() : setAsking(true))}
      >
        <bdi>{label}</bdi>
      </Button>
      {isForbidden && <p className={styles.note}>{words.mayNotSend(assetId)}</p>}
      {sentAtMs !== null && (
        <p className={styles.note} role="status">
          {words.commandSent(format.time(sentAtMs))}{' '}
          <PageAnchor link={links.asset(assetId, { tab: 'commands' })}>{words.seeAnswer}</PageAnchor>
        </p>
      )}
      {failure !== null && <Refusal error={failure} />}
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={<bdi>{words.confirmCommand(name)}</bdi>}
      >
        <div className={styles.form}>
          <p>
            {words.commandTo}{' '}
            <strong>
              <AssetName id={assetId} />
            </strong>
          </p>
          {options.payload !== undefined && (
            <CodeBlock code={JSON.stringify(options.payload, null, 2)} name={words.payload} />
          )}
          <div className={styles.formBar}>
            <Button onClick={() => setAsking(false)}>{common.cancel}</Button>
            <Button
              variant="filled"
              data-autofocus
              onClick={() => {
                setAsking(false)
                void send()
              }}
            >
              {words.sendCommand}
            </Button>
          </div>
        </div>
      </Modal>
    </div>
  )
}

/** The name of an asset before its id, which stands alone until the name is read. */
function AssetName({ id }: { id: string }) {
  const { asset } = useAsset(id)
  const isNamed = asset !== undefined && asset.displayName !== id
  return (
    <>
      {isNamed && (
        <>
          <bdi>{asset.displayName}</bdi>{' '}
        </>
      )}
      <bdi>{isNamed ? `(${id})` : id}</bdi>
    </>
  )
}

function useSend(assetId: string, { commandName, componentId, payload }: CommandOptions) {
  const api = useApi()
  const [isSending, setSending] = useState(false)
  const [sentAtMs, setSentAtMs] = useState<number | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const send = async () => {
    setSending(true)
    setFailure(null)
    try {
      await api.post('/v1/assets/{assetId}/commands/{commandName}', {
        path: { assetId, commandName },
        body: { ...(payload !== undefined && { payload }), ...(componentId && { componentId }) },
        signal: withTimeout(),
      })
      setSentAtMs(Date.now())
    } catch (error) {
      setSentAtMs(null)
      setFailure(error)
    } finally {
      setSending(false)
    }
  }
  return { isSending, sentAtMs, failure, send }
}
