import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'
import type { Setup, Target } from './setup.ts'

export const steps = ['target', 'device', 'code', 'value'] as const
export type Step = (typeof steps)[number]

interface Props {
  step: Step
  isReady: boolean
  hasValue: boolean
  setup: Setup
  target: Target | undefined
  deviceId: string
  onStep: (step: Step) => void
}

/** The steps with the current one, the completed ones and their choices. */
export function StepList(props: Props) {
  const words = useWords('firstDevice')
  const done = { target: props.isReady, device: props.isReady, code: props.hasValue, value: props.hasValue }
  return (
    <nav aria-label={words.progress}>
      <ol className={styles.steps}>
        {steps.map((step, index) => {
          const isReachable = index < 2 || props.isReady
          return (
            <li key={step}>
              <button
                type="button"
                className={styles.step}
                aria-current={step === props.step ? 'step' : undefined}
                disabled={!isReachable}
                onClick={() => props.onStep(step)}
              >
                <span className={styles.number} data-done={done[step] || undefined}>
                  {done[step] ? <Icon name="check" size={12} /> : index + 1}
                </span>
                <span className={styles.stepWords}>
                  <span className={styles.stepName}>
                    {words.steps[step].title}
                    {done[step] && <span className="visually-hidden"> {words.done}</span>}
                  </span>
                  <span className={styles.stepNote}>
                    <bdi>{describeStep(step, props, words)}</bdi>
                  </span>
                </span>
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

function describeStep(
  step: Step,
  { isReady, hasValue, setup, target, deviceId }: Props,
  words: { waiting: string; arrived: string },
) {
  const broker = target?.brokers[0] ?? setup
  if (step === 'target') return `${broker.host}:${broker.port}`
  if (step === 'device') return isReady ? deviceId : setup.deviceId
  if (!isReady) return ''
  if (step === 'code') return ''
  return hasValue ? words.arrived : words.waiting
}
