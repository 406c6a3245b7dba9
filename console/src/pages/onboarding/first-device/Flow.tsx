import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { Doctor } from '../../../parts/doctor/Doctor.tsx'
import { useDeviceValues } from '../../../parts/doctor/use-device-values.ts'
import { DraftGuard } from '../../../parts/form/DraftGuard.tsx'
import { PageHead } from '../../../parts/layout/ListPage.tsx'
import page from '../../../parts/layout/Page.module.css'
import { Loading, Notice } from '../../../parts/State.tsx'
import { choice, text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { CodeStep } from './CodeStep.tsx'
import { DeviceStep } from './DeviceStep.tsx'
import { DoneStep } from './DoneStep.tsx'
import styles from './Flow.module.css'
import { findOwnProvider, type Known } from './setup.ts'
import { steps, StepList } from './StepList.tsx'
import { TargetStep } from './TargetStep.tsx'
import { useSetup } from './use-setup.ts'
import { ValueStep } from './ValueStep.tsx'

const fields = { step: choice(steps), group: text(), device: text() }

/** The list of steps at the left, the current step in the middle, and the live events of the device at the right. */
export function Flow({ known, onChanged }: { known: Known; onChanged: () => void }) {
  const words = useWords('firstDevice')
  const [{ step: asked, group: groupId, device }, change] = useUrlState(fields)
  const draft = useSetup(known, words.defaultGroup)
  const { setup, setSetup } = draft
  const [watchSinceMs] = useState(() => Date.now() - 60_000)
  const group = known.groups.find(({ id }) => id === groupId)
  const isReady = groupId !== '' && device !== ''
  const step = !isReady && (asked === 'code' || asked === 'value') ? 'target' : asked
  const target = known.targets.find(({ id }) => id === group?.routing_target_id)
  const providerId = target === undefined ? null : findOwnProvider(target, known.endpoints.http)
  const values = useDeviceValues(isReady && providerId !== null ? device : null)
  const content = useFocusOnChange(step)
  const goTo = (next: typeof step) => void change({ step: next }, { push: true })
  const prepareAnother = () => {
    draft.suggestNext(device)
    void change({ step: 'target', group: '', device: '' }, { push: true })
  }
  const patient = { deviceId: device, providerId, groupId }
  return (
    <div className={page.page}>
      <PageHead
        title={words.title}
        text={words.what}
        actions={isReady && <CodeExamples requests={listRequests(groupId, device)} />}
      />
      <div className={styles.flow}>
        <StepList
          step={step}
          isReady={isReady}
          hasValue={values.size > 0}
          setup={setup}
          target={target}
          deviceId={device}
          onStep={goTo}
        />
        <section className={styles.content} ref={content} tabIndex={-1} aria-label={words.steps[step].title}>
          <h2 className={styles.stepTitle}>{words.steps[step].title}</h2>
          <p className={styles.stepText}>{words.steps[step].text}</p>
          {!isReady && <Draft draft={draft} />}
          {isReady && group !== undefined && (step === 'target' || step === 'device') && (
            <DoneStep
              step={step}
              known={known}
              group={group}
              deviceId={device}
              onNext={() => goTo(step === 'target' ? 'device' : 'code')}
              onAnother={prepareAnother}
            />
          )}
          {!isReady && step === 'target' && (
            <TargetStep known={known} setup={setup} onSetup={setSetup} onNext={() => goTo('device')} />
          )}
          {!isReady && step === 'device' && (
            <DeviceStep
              known={known}
              setup={setup}
              onSetup={setSetup}
              onBack={() => goTo('target')}
              onReady={(made) => {
                draft.settle()
                onChanged()
                void change({ step: 'code', group: made.groupId, device: setup.deviceId }, { push: true })
              }}
            />
          )}
          {step === 'code' && target === undefined && <Loading />}
          {step === 'code' && target !== undefined && (
            <CodeStep
              known={known}
              target={target}
              patient={patient}
              values={values}
              onValue={() => goTo('value')}
              onOther={(deviceId) => void change({ device: deviceId })}
            />
          )}
          {step === 'value' && (
            <ValueStep
              deviceId={device}
              providerId={providerId}
              values={values}
              onCode={() => goTo('code')}
              onAnother={prepareAnother}
            />
          )}
        </section>
        <aside className={styles.doctor} aria-label={words.doctor}>
          {isReady ? <Doctor patient={patient} values={values} watchSinceMs={watchSinceMs} /> : <Waiting />}
        </aside>
      </div>
    </div>
  )
}

/** Says that choices of before are there again, and guards them. */
function Draft({ draft }: { draft: ReturnType<typeof useSetup> }) {
  const words = useWords('common')
  return (
    <>
      <DraftGuard isChanged={draft.isChanged} isKept />
      {draft.isChanged && draft.isRestored && (
        <div className={styles.restored}>
          <Notice kind="info">
            {words.restored}{' '}
            <Button size="compact-xs" onClick={draft.discard}>
              {words.discard}
            </Button>
          </Notice>
        </div>
      )}
    </>
  )
}

function Waiting() {
  const words = useWords('firstDevice')
  return (
    <>
      <h2 className={styles.stepTitle}>{words.doctor}</h2>
      <p className={styles.stepText}>{words.doctorLater}</p>
    </>
  )
}

/** Moves the focus to a new step, so that a screen reader reads it from its beginning. */
function useFocusOnChange(step: string) {
  const element = useRef<HTMLElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    element.current?.focus()
  }, [step])
  return element
}

const listRequests = (groupId: string, deviceId: string) => [
  example('post', '/api/enrollment-groups/{id}/devices', {
    path: { id: groupId },
    body: { device_id: deviceId },
  }),
  example('post', '/provision_device', { body: { device_id: deviceId, enrollment_group_id: groupId } }),
  example('post', '/api/enrollment-groups/{id}/keys/derive', {
    path: { id: groupId },
    body: { device_ids: [deviceId] },
  }),
  example('get', '/api/enrollment-groups/{id}/devices/{deviceId}/trace', { path: { id: groupId, deviceId } }),
]
