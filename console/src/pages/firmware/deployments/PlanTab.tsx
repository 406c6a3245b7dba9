import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from '../Firmware.module.css'
import type { DeploymentDetails } from './deployment.ts'

/** What was decided when the deployment was created. */
export function PlanTab({ deployment }: { deployment: DeploymentDetails }) {
  const { plan: words, none } = useWords('deployments')
  const common = useWords('common')
  const format = useFormat()
  const { rollout, timeoutSeconds, description } = deployment
  const percent = (value: number) => format.percent(value / 100)
  return (
    <div className={styles.scroll}>
      <Facts
        entries={[
          [
            words.release,
            <PageAnchor key="release" link={links.release(deployment.releaseId)}>
              <bdi>{deployment.releaseName}</bdi>
            </PageAnchor>,
          ],
          [
            words.template,
            <PageAnchor key="template" link={links.deploymentTemplate(deployment.deploymentTemplateId)}>
              {deployment.deploymentTemplateId}
            </PageAnchor>,
          ],
          [words.rollout, rollout.waves.map(percent).join(', ')],
          [words.threshold, words.thresholdValue(percent(rollout.failureThresholdPercent))],
          [
            words.healthAlarms,
            rollout.healthAlarmIds.length === 0 ? (
              none
            ) : (
              <ul key="alarms" className={styles.choices}>
                {rollout.healthAlarmIds.map((id) => (
                  <li key={id}>
                    <PageAnchor link={links.rule(id)}>{id}</PageAnchor>
                  </li>
                ))}
              </ul>
            ),
          ],
          [words.rollback, rollout.rollback ? common.yes : common.no],
          [words.timeout, timeoutSeconds === null ? words.noTimeout : format.duration(timeoutSeconds * 1000)],
          ...(description === null
            ? []
            : [[words.description, <bdi key="text">{description}</bdi>] as [string, React.ReactNode]]),
        ]}
      />
    </div>
  )
}
