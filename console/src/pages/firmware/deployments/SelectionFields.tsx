import { Button, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import type { Form } from '../../../parts/form/use-form.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Firmware.module.css'
import { PickOne } from '../../../parts/pick/PickOne.tsx'
import { betweenIds, ValuesInput } from '../ValuesInput.tsx'
import { emptyDeployment, type NewDeployment } from './new-deployment.ts'
import { useObjectFinder } from '../../access/use-object-finder.ts'

/** By what the devices are chosen. */
export function SelectionFields({ form }: { form: Form<NewDeployment> }) {
  const { new: words } = useWords('deployments')
  const { values, change } = form
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.devices}</legend>
      <p className={styles.quiet}>{words.devicesHint}</p>
      {values.of.id !== '' && <OfDeployment form={form} />}
      <div className={styles.pair}>
        <PickOne
          {...useObjectFinder('model')}
          label={words.model}
          isClearable
          value={values.modelId}
          onChange={(modelId) => change({ modelId })}
          error={form.problem('selection.modelId')}
        />
        <PickOne
          {...useObjectFinder('firmware')}
          label={words.current}
          description={words.currentHint}
          isClearable
          value={values.firmwareReleaseId}
          onChange={(firmwareReleaseId) => change({ firmwareReleaseId })}
          error={form.problem('selection.firmwareReleaseId')}
        />
        <PickOne
          {...useObjectFinder('node')}
          label={words.node}
          description={words.nodeHint}
          isClearable
          value={values.nodeId}
          onChange={(nodeId) => change({ nodeId })}
          error={form.problem('selection.nodeId')}
        />
        <ProviderSelect value={values.providerId} onChange={(providerId) => change({ providerId })} />
        <TextInput
          label={words.tag}
          description={words.tagHint}
          autoComplete="off"
          spellCheck={false}
          value={values.tag}
          onChange={(event) => change({ tag: event.currentTarget.value })}
          error={form.problem('selection.tag')}
        />
        <TextInput
          label={words.search}
          autoComplete="off"
          maxLength={128}
          value={values.search}
          onChange={(event) => change({ search: event.currentTarget.value })}
          error={form.problem('selection.search')}
        />
      </div>
      <ValuesInput
        label={words.ids}
        description={words.idsHint}
        splitChars={betweenIds}
        value={values.deviceIds}
        onChange={(deviceIds) => change({ deviceIds })}
        error={form.problem('deviceIds')}
      />
    </fieldset>
  )
}

function OfDeployment({ form }: { form: Form<NewDeployment> }) {
  const { new: words } = useWords('deployments')
  const { firmwareTab } = useWords('devices')
  const { id, previousReleaseId, statuses } = form.values.of
  const api = useApi()
  const deployment = useQuery({
    queryKey: ['deployment', id],
    queryFn: ({ signal }) =>
      api.get('/v1/firmware/deployments/{deploymentId}', {
        path: { deploymentId: id },
        signal: withTimeout(signal),
      }),
  })
  const name = deployment.data?.displayName ?? id
  return (
    <div className={styles.block} role="group" aria-label={words.of}>
      <span>
        {words.of}: <bdi>{name}</bdi>
      </span>
      {previousReleaseId !== '' && <span className={styles.quiet}>{words.ofPrevious}</span>}
      {statuses.length > 0 && (
        <span className={styles.quiet}>
          {words.ofStates(statuses.map((status) => firmwareTab.states[status]).join(', '))}
        </span>
      )}
      <Button className={styles.start} onClick={() => form.change({ of: emptyDeployment.of })}>
        {words.removeOf}
      </Button>
    </div>
  )
}

const MOST_PROVIDERS = 100

function ProviderSelect({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { new: words } = useWords('deployments')
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.get('/v1/providers', { query: { limit: MOST_PROVIDERS }, signal }),
    staleTime: 300_000,
  })
  return (
    <Select
      label={words.provider}
      clearable
      searchable
      data={data.map(({ id, displayName }) => ({ value: id, label: displayName }))}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
    />
  )
}
