import { Button } from '@mantine/core'
import type { Gangway, Schemas } from '@gangway/client'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links, type PageLink } from '../../links.ts'
import { useWords } from '../../words/words.tsx'
import { CopyButton } from '../Copy.tsx'
import { findOnboardingOrigin } from '../device-code/find-onboarding-origin.ts'
import { Refusal } from '../Refusal.tsx'
import styles from './Doctor.module.css'
import type { Cure, Finding } from './finding.ts'
import type { Patient } from './use-doctor.ts'

interface Props {
  finding: Finding
  patient: Patient
  onCured: () => void
}

/** Buttons with the cures for a finding. */
export function CureButtons({ finding, patient, onCured }: Props) {
  const [failure, setFailure] = useState<unknown>(null)
  if (finding.cures.length === 0) return null
  return (
    <div className={styles.cures}>
      {finding.cures.map((cure) => (
        <CureButton key={cure} {...{ cure, finding, patient, onCured, onError: setFailure }} />
      ))}
      {failure !== null && <Refusal error={failure} />}
    </div>
  )
}

function CureButton({ cure, ...props }: Props & { cure: Cure; onError: (error: unknown) => void }) {
  const words = useWords('doctor').cures
  const act = actions[cure]
  const copy = copies[cure]
  const page = pages[cure]
  if (act !== undefined) return <ActionButton {...props} act={act} label={words[cure]} />
  if (copy !== undefined) return <CopyCure {...props} copy={copy} label={words[cure]} />
  if (page !== undefined) return <PageCure link={page(props.patient)} label={words[cure]} />
  if (cure === 'get-ca')
    return (
      <Button component="a" size="xs" href="/v1/ca.crt" download="ca.crt">
        {words[cure]}
      </Button>
    )
  return null
}

/** A link to a page; null for a client without onboarding, which has no such page. */
const PageCure = ({ link, label }: { link: PageLink | null; label: string }) =>
  link !== null && (
    <Button size="xs" renderRoot={(props) => <Link {...props} {...(link as { to: string })} />}>
      {label}
    </Button>
  )

const pages: Partial<Record<Cure, (patient: Patient) => PageLink | null>> = {
  'see-readiness': ({ groupId }) => (groupId === undefined ? null : links.group(groupId, { tab: 'keys' })),
  'see-group': ({ groupId }) => (groupId === undefined ? null : links.group(groupId, { tab: 'settings' })),
  'see-certificates': ({ groupId, deviceId }) =>
    groupId === undefined ? null : links.onboardingDevice(groupId, deviceId, { tab: 'certificates' }),
  'see-enrolment': ({ groupId }) =>
    groupId === undefined ? null : links.group(groupId, { tab: 'certificates' }),
}

function ActionButton(props: Props & { act: Action; label: string; onError: (error: unknown) => void }) {
  const api = useApi()
  const { mutate, isPending } = useMutation({
    mutationFn: () => props.act(api, props.patient),
    onMutate: () => props.onError(null),
    onSuccess: props.onCured,
    onError: props.onError,
  })
  if (!props.act.isPossible(props.patient)) return null
  return (
    <Button size="xs" variant="filled" loading={isPending} onClick={() => mutate()}>
      {props.label}
    </Button>
  )
}

function CopyCure(props: Props & { copy: CopyText; label: string; onError: (error: unknown) => void }) {
  const api = useApi()
  const endpoints = useQuery({
    queryKey: ['endpoints'],
    queryFn: ({ signal }) => api.get('/v1/endpoints', { signal }),
    staleTime: Infinity,
  })
  if (endpoints.data === undefined || !props.copy.isPossible(props.patient)) return null
  const addresses = endpoints.data
  return (
    <CopyButton
      label={props.label}
      load={() => props.copy(api, props.patient, addresses)}
      onError={props.onError}
    />
  )
}

interface Action {
  (api: Gangway, patient: Patient): Promise<unknown>
  isPossible: (patient: Patient) => boolean
}

interface CopyText {
  (api: Gangway, patient: Patient, endpoints: Schemas['Endpoints']): string | Promise<string>
  isPossible: (patient: Patient) => boolean
}

const inGroup = ({ groupId }: Patient) => groupId !== undefined
const atProvider = ({ providerId }: Patient) => providerId !== null
const always = () => true
const withCondition = <F extends (...args: never[]) => unknown>(
  isPossible: (patient: Patient) => boolean,
  run: F,
) => Object.assign(run, { isPossible })

const register = (api: Gangway, { deviceId, groupId }: Patient) =>
  api.post('/api/enrollment-groups/{id}/devices', { path: { id: groupId! }, body: { device_id: deviceId } })
const provision = (api: Gangway, { deviceId, groupId }: Patient) =>
  api.post('/provision_device', { body: { device_id: deviceId, enrollment_group_id: groupId! } })

const actions: Partial<Record<Cure, Action>> = {
  'enable-group': withCondition(inGroup, (api: Gangway, { groupId }: Patient) =>
    api.put('/api/enrollment-groups/{id}', { path: { id: groupId! }, body: { status: 'enabled' } }),
  ),
  'enable-client': withCondition(atProvider, (api: Gangway, { providerId, deviceId }: Patient) =>
    api.patch('/v1/providers/{providerId}/clients/{clientId}', {
      path: { providerId: providerId!, clientId: deviceId },
      body: { enabled: true },
    }),
  ),
  register: withCondition(inGroup, async (api: Gangway, patient: Patient) => {
    await register(api, patient)
    await provision(api, patient)
  }),
  provision: withCondition(inGroup, provision),
}

/** @returns the key of this device only, derived from the bootstrap key of its group */
export async function deriveKey(api: Gangway, { deviceId, groupId }: Patient): Promise<string> {
  const { items } = await api.post('/api/enrollment-groups/{id}/keys/derive', {
    path: { id: groupId! },
    body: { device_ids: [deviceId] },
  })
  return items[0]!.primary_key
}

export const examplePayload = '{"temperature": 21.5}'
export const telemetryTopic = (deviceId: string) => `devices/${deviceId}/telemetry`
export const writeSettingsCommand = (origin: string, deviceId: string, key: string) =>
  `curl -sS '${origin}/get_settings' -u '${deviceId}:${key}'`

/** The broker address from the perspective of this page: the server's own endpoints may contain its local host name. */
export const writeAddress = (endpoint: string) => {
  const { port } = new URL(endpoint.replace(/^mqtts?:/, 'http:'))
  return `${location.hostname}:${port}`
}

const copies: Partial<Record<Cure, CopyText>> = {
  'copy-key': withCondition(inGroup, deriveKey),
  'copy-settings-command': withCondition(
    inGroup,
    async (api: Gangway, patient: Patient, endpoints: Schemas['Endpoints']) =>
      writeSettingsCommand(findOnboardingOrigin(endpoints), patient.deviceId, await deriveKey(api, patient)),
  ),
  'copy-topic': withCondition(always, (_api: Gangway, { deviceId }: Patient) => telemetryTopic(deviceId)),
  'copy-payload': withCondition(always, () => examplePayload),
  'copy-id': withCondition(always, (_api: Gangway, { deviceId }: Patient) => deviceId),
  'copy-tls-address': withCondition(
    always,
    (_api: Gangway, _patient: Patient, { mqtts }: { mqtts: string }) => writeAddress(mqtts),
  ),
  'copy-plain-address': withCondition(
    always,
    (_api: Gangway, _patient: Patient, { mqtt }: { mqtt: string }) => writeAddress(mqtt),
  ),
}
