import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { links } from '../../links.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { type Binding, type Content, type Endpoint, formatEndpoint, labelEndpoint } from './binding.ts'
import { writeUnit } from '../explore/use-units.ts'
import { writeSchema } from '../models/model.ts'
import styles from './Bindings.module.css'
import { managePermission } from './use-bindings.ts'
import { useSave } from './use-save.ts'

interface FactsProps {
  endpoint: Endpoint
  binding: Binding | undefined
  isIgnored: boolean
  content: Content | undefined
}

/** State, origin, kind and type of an endpoint. */
export function EndpointFacts({ endpoint, binding, isIgnored, content }: FactsProps) {
  const words = useWords('bindings')
  const state = isIgnored ? 'ignored' : 'unbound'
  return (
    <>
      {binding === undefined ? (
        <StateMark state={isIgnored ? 'off' : 'warning'}>{words.states[state]}</StateMark>
      ) : (
        <StateMark state={binding.lastError === undefined ? 'good' : 'bad'}>
          {binding.lastError === undefined ? words.states.bound : words.states.failing}
        </StateMark>
      )}
      {binding !== undefined && <span>{words.boundBy[binding.origin]}</span>}
      <span>{words.kinds[endpoint.kind]}</span>
      {content?.schema !== undefined && <code>{writeSchema(content.schema)}</code>}
      {content?.unit && <span>{writeUnit(content.unit)}</span>}
    </>
  )
}

export function LastError({ error }: { error: NonNullable<Binding['lastError']> }) {
  const words = useWords('bindings')
  return (
    <>
      {words.lastError}
      {error.time !== null && (
        <>
          {' '}
          <RelativeTime at={error.time} />
        </>
      )}
      {': '}
      <bdi>{error.message}</bdi>
    </>
  )
}

export function WhyReadOnly({ assetId }: { assetId: string }) {
  const words = useWords('bindings')
  const [isOpen, why] = useDisclosure()
  return (
    <>
      <WhyButton onClick={why.open} />
      <WhyPanel
        isOpen={isOpen}
        onClose={why.close}
        reason={words.readOnly}
        permission={managePermission(assetId)}
      />
    </>
  )
}

/** Removing a binding can be reverted by binding again, so a simple confirmation without typing the name is enough. */
export function RemoveBinding({ endpoint, isDisabled }: { endpoint: Endpoint; isDisabled: boolean }) {
  const { remove: words } = useWords('bindings')
  const common = useWords('common')
  const router = useRouter()
  const [isOpen, dialog] = useDisclosure()
  const save = useSave(endpoint.instanceId)
  const remove = async () => {
    const saved = await save.run({ localEndpointId: formatEndpoint(endpoint), remoteEndpointIds: [] })
    if (saved !== undefined) await router.navigate(links.bindings(endpoint.instanceId) as never)
  }
  return (
    <>
      <Button color="red" variant="outline" disabled={isDisabled} onClick={dialog.open}>
        {words.action}
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title={words.title(labelEndpoint(endpoint))}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        <div className={styles.fields}>
          <p>{words.text}</p>
          {save.failure !== null && <Refusal error={save.failure} />}
          <div className={styles.buttons}>
            <Button onClick={dialog.close}>{common.cancel}</Button>
            <Button color="red" variant="filled" loading={save.isRunning} onClick={() => void remove()}>
              {words.action}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}
