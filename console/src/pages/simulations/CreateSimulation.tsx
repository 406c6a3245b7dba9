import { Checkbox, Select, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { type Form, useForm } from '../../parts/form/use-form.ts'
import { PageHead } from '../../parts/layout/ListPage.tsx'
import page from '../../parts/layout/Page.module.css'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { NumberField } from '../../parts/number/NumberField.tsx'
import { Failed, InsteadOfPage, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { OrganizationField } from '../access/OrganizationField.tsx'
import { useOrganizationId } from '../access/use-organization-id.ts'
import { usePrivilege } from '../access/use-privilege.ts'
import { withTimeout } from '../devices/timeout.ts'
import styles from '../firmware/Firmware.module.css'
import { PickOne } from '../../parts/pick/PickOne.tsx'
import { SignalFields } from './SignalFields.tsx'
import {
  checkSimulation,
  newSimulation,
  type SimulationValues,
  writeSimulation,
} from './simulation-values.ts'
import { useObjectFinder } from '../access/use-object-finder.ts'
import { useTemplateFinder } from '../firmware/use-template-finder.ts'

const MOST_PROVIDERS = 100

export default function CreateSimulation() {
  const { form: words, title } = useWords('simulations')
  const { missing } = useWords('access')
  const api = useApi()
  const providers = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.get('/v1/providers', { query: { limit: MOST_PROVIDERS }, signal }),
    staleTime: 300_000,
  })
  if (providers.isPending) return <Loading />
  if (providers.data === undefined)
    return <Failed isPage error={providers.error} onRetry={() => void providers.refetch()} />
  const offered = providers.data.filter(({ type }) => type === 'mqtt')
  return offered.length === 0 ? (
    <InsteadOfPage icon="forbidden" title={missing.title} text={words.noProvider}>
      <PageAnchor link={links.simulations()}>{title}</PageAnchor>
    </InsteadOfPage>
  ) : (
    <Create providers={offered} />
  )
}

interface Providers {
  providers: { id: string; displayName: string }[]
}

function Create({ providers }: Providers) {
  const { form: words, ...titles } = useWords('simulations')
  const { required } = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const write = (values: SimulationValues, place: string) =>
    writeSimulation({
      ...values,
      organizationId: place,
      providerId: values.providerId || providers[0]!.id,
    })
  const form = useForm<SimulationValues>({
    draft: 'simulation-new',
    initial: newSimulation,
    validate: (values) => checkSimulation(values, { ...words, required }),
    submit: async (values) => {
      const body = write(values, await findOrganizationId())
      const { id } = await api.post('/v1/simulations', { body, signal: withTimeout() })
      void cache.invalidateQueries({ queryKey: ['simulations'] })
      form.reset()
      await router.navigate(links.simulation(id) as never)
    },
  })
  const { organizationId, findOrganizationId } = useOrganizationId({
    privilege: 'provider_client_management',
    chosen: form.values.organizationId,
  })
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={titles.createTitle} className={page.page}>
      <PageHead
        parent={{ title: titles.title, link: links.simulations() }}
        title={titles.createTitle}
        text={titles.what}
        actions={
          <CodeExamples
            requests={[example('post', '/v1/simulations', { body: write(form.values, organizationId) })]}
          />
        }
      />
      <div className={styles.fields}>
        <DeviceFields form={form} organizationId={organizationId} providers={providers} />
        <SignalFields form={form} />
        <FirmwareFields form={form} />
        <Textarea label={titles.description} autosize minRows={1} {...form.field('description')} />
      </div>
      <SaveBar form={form} label={titles.create} />
    </form>
  )
}

interface DeviceProps extends Providers {
  form: Form<SimulationValues>
  organizationId: string
}

function DeviceFields({ form, organizationId, providers }: DeviceProps) {
  const { form: words, name } = useWords('simulations')
  const { values, change } = form
  return (
    <>
      <TextInput label={name} autoComplete="off" {...form.field('displayName')} />
      <OrganizationField
        privilege="provider_client_management"
        value={organizationId}
        onChange={(chosen) => change({ organizationId: chosen })}
        error={form.problem('organizationId')}
      />
      <Select
        label={words.provider}
        description={words.providerHint}
        allowDeselect={false}
        data={providers.map(({ id, displayName }) => ({ value: id, label: displayName }))}
        value={values.providerId || providers[0]!.id}
        onChange={(providerId) => providerId !== null && change({ providerId })}
        error={form.problem('providerId')}
      />
      <div className={styles.pair}>
        <NumberField
          label={words.count}
          min={1}
          max={1000}
          allowDecimal={false}
          value={values.count}
          onChange={(count) => change({ count })}
          error={form.problem('count')}
        />
        <NumberField
          label={words.interval}
          min={1}
          value={values.intervalSeconds}
          onChange={(intervalSeconds) => change({ intervalSeconds })}
          error={form.problem('intervalSeconds')}
        />
      </div>
      <TextInput
        label={words.prefix}
        description={words.prefixHint}
        autoComplete="off"
        spellCheck={false}
        {...form.field('deviceIdPrefix')}
      />
      <ModelField form={form} organizationId={organizationId} />
    </>
  )
}

/** The model of the assets, which only those may create who manage assets in the organization. */
function ModelField({ form, organizationId }: Pick<DeviceProps, 'form' | 'organizationId'>) {
  const { form: words } = useWords('simulations')
  const { place, privileges } = useWords('access')
  const finder = useObjectFinder('model')
  const { modelId } = form.values
  const lacking =
    usePrivilege('asset_management', organizationId || undefined) === false
      ? place.lacking(privileges.asset_management!)
      : undefined
  const isChosen = modelId !== ''
  return (
    <PickOne
      {...finder}
      label={words.model}
      description={isChosen ? words.modelHint : (lacking ?? words.modelHint)}
      isClearable
      isDisabled={lacking !== undefined && !isChosen}
      value={modelId}
      onChange={(chosen) => form.change({ modelId: chosen })}
      error={form.problem('modelId') ?? (isChosen ? lacking : undefined)}
    />
  )
}

function FirmwareFields({ form }: { form: Form<SimulationValues> }) {
  const { form: words } = useWords('simulations')
  const templates = useTemplateFinder()
  const { values, change } = form
  const number = (name: 'durationSeconds' | 'failurePercent' | 'offlinePercent' | 'offlineSeconds') => ({
    min: 0,
    value: values[name],
    onChange: (value: number | null) => change({ [name]: value }),
    error: form.problem(`firmware.${name}`),
  })
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.firmware}</legend>
      <Checkbox
        label={words.firmware}
        description={words.firmwareHint}
        checked={values.isUpdating}
        onChange={(event) => change({ isUpdating: event.currentTarget.checked })}
      />
      {values.isUpdating && (
        <>
          <PickOne
            {...templates}
            label={words.template}
            value={values.deploymentTemplateId}
            onChange={(deploymentTemplateId) => change({ deploymentTemplateId })}
            error={form.problem('firmware.deploymentTemplateId')}
          />
          <div className={styles.pair}>
            <NumberField label={words.duration} {...number('durationSeconds')} />
            <NumberField label={words.failure} {...number('failurePercent')} />
            <NumberField label={words.offline} {...number('offlinePercent')} />
            <NumberField label={words.offlineSeconds} {...number('offlineSeconds')} />
          </div>
        </>
      )}
    </fieldset>
  )
}
