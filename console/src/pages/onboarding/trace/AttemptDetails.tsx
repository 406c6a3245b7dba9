import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { Doctor } from '../../../parts/doctor/Doctor.tsx'
import type { Attempt } from '../../../parts/doctor/finding.ts'
import { useDeviceValues } from '../../../parts/doctor/use-device-values.ts'
import { links } from '../../../links.ts'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Trace.module.css'

/** The steps of an attempt, with the live events of its device. */
export function AttemptDetails({ attempt }: { attempt: Attempt }) {
  const words = useWords('trace')
  const doctor = useWords('doctor')
  const format = useFormat()
  return (
    <div className={styles.details}>
      <Facts
        entries={[
          [words.attempt, words.kinds[attempt.kind]],
          [words.at, format.full(attempt.started_at)],
          [words.first, format.full(attempt.first_started_at)],
          [words.count, format.number(attempt.count)],
          [words.duration, format.duration(attempt.duration_ms)],
          [words.address, <code key="address">{attempt.address}</code>],
          ...(attempt.enrollment_group_id === null ? [] : [listPages(attempt, words)]),
        ]}
      />
      <section aria-label={words.steps}>
        <h2 className={styles.heading}>{words.steps}</h2>
        <ol className={styles.steps}>
          {attempt.steps.map(({ code, meaning, message, what_to_do }, index) => (
            <li key={`${index} ${code}`}>
              {doctor.faults[code]?.text ?? meaning ?? code}
              {message !== null && (
                <p>
                  <bdi>{message}</bdi>
                </p>
              )}
              {what_to_do !== null && <p className={styles.cure}>{what_to_do}</p>}
              <code>{code}</code>
            </li>
          ))}
        </ol>
      </section>
      {attempt.device_id !== '' && <Now attempt={attempt} />}
    </div>
  )
}

/** Links to the device and its group. */
const listPages = (
  { enrollment_group_id: groupId, device_id: deviceId }: Attempt,
  words: { pages: string; openDevice: string; openGroup: string },
): [string, ReactNode] => [
  words.pages,
  <span key="pages" className={styles.pages}>
    <PageAnchor link={links.onboardingDevice(groupId!, deviceId)}>{words.openDevice}</PageAnchor>
    <PageAnchor link={links.group(groupId!)}>{words.openGroup}</PageAnchor>
  </span>,
]

const unknownIds = new Set(['device_unknown', 'client_unknown', 'device_not_registered'])

/** The live events of the device; cures are offered if the attempt belongs to a group of this tenant. */
function Now({ attempt: { device_id: deviceId, enrollment_group_id, code } }: { attempt: Attempt }) {
  const words = useWords('trace')
  const api = useApi()
  const provider = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.get('/v1/providers', { query: { limit: 100 }, signal }),
  })
  const providerId = provider.data?.find(({ type }) => type === 'mqtt')?.id ?? null
  const values = useDeviceValues(unknownIds.has(code) ? null : deviceId)
  return (
    <Doctor
      title={words.doctor(deviceId)}
      patient={{
        deviceId,
        providerId,
        ...(enrollment_group_id !== null && { groupId: enrollment_group_id }),
      }}
      values={values}
    />
  )
}
