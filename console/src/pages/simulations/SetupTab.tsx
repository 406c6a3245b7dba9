import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Facts } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import styles from '../firmware/Firmware.module.css'
import type { Simulation } from './simulation.ts'

/** What was decided when the simulation was made. */
export function SetupTab({ simulation }: { simulation: Simulation }) {
  const { setup: words, description: descriptionLabel, provider } = useWords('simulations')
  const format = useFormat()
  const { description, modelId, intervalSeconds, deviceIdPrefix, signals, methods, firmware } = simulation
  return (
    <div className={styles.scroll}>
      <Facts
        entries={[
          ...(description === null
            ? []
            : [[descriptionLabel, <bdi key="text">{description}</bdi>] as [string, React.ReactNode]]),
          [provider, simulation.providerId],
          [words.prefix, <code key="prefix">{deviceIdPrefix}0001 …</code>],
          [words.interval, format.duration(intervalSeconds * 1000)],
          [
            words.model,
            modelId === null ? (
              words.noModel
            ) : (
              <PageAnchor key="model" link={links.model(modelId)}>
                {modelId}
              </PageAnchor>
            ),
          ],
          [
            words.firmware,
            firmware === null ? words.noFirmware : <Updates key="firmware" firmware={firmware} />,
          ],
        ]}
      />
      <h2 className={styles.subtitle}>{words.signals}</h2>
      <CodeBlock code={JSON.stringify(signals, null, 2)} name={words.signals} />
      <h2 className={styles.subtitle}>{words.methods}</h2>
      <p className={styles.quiet}>{words.methodsText}</p>
      {methods.length > 0 && <CodeBlock code={JSON.stringify(methods, null, 2)} name={words.methods} />}
    </div>
  )
}

function Updates({ firmware }: { firmware: NonNullable<Simulation['firmware']> }) {
  const { setup: words } = useWords('simulations')
  const format = useFormat()
  const { failurePercent = 0, offlinePercent = 0, durationSeconds = 10, offlineSeconds = 600 } = firmware
  return (
    <>
      <p>{words.firmwareText(format.percent(failurePercent / 100), format.percent(offlinePercent / 100))}</p>
      <p>
        {words.step} {format.duration(durationSeconds * 1000)}
        {offlinePercent > 0 && `, ${words.offline} ${format.duration(offlineSeconds * 1000)}`}
      </p>
      <p>
        {words.template}{' '}
        <PageAnchor link={links.deploymentTemplate(firmware.deploymentTemplateId)}>
          {firmware.deploymentTemplateId}
        </PageAnchor>
      </p>
    </>
  )
}
