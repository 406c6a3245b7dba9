import { Select, TextInput } from '@mantine/core'
import { PickMany } from '../../../../parts/pick/PickMany.tsx'
import { PickOne } from '../../../../parts/pick/PickOne.tsx'
import { useWords } from '../../../../words/words.tsx'
import { useObjectFinder } from '../../../access/use-object-finder.ts'
import type { FieldProps } from './field.ts'

/** As many as the server takes. */
const MOST_RULES = 100

/** The rules of an alarm list; none means all. */
export function RulesField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <PickMany
      {...useObjectFinder('alarm')}
      label={words.rulesOrAll}
      maxValues={MOST_RULES}
      value={Array.isArray(options.alarmIds) ? options.alarmIds : []}
      onChange={(alarmIds) => onChange({ alarmIds: alarmIds.length === 0 ? undefined : alarmIds })}
    />
  )
}

/** A floor plan; without one a map shows the world. */
export function PlanField(props: FieldProps) {
  const words = useWords('dashboardEditor')
  return <PictureField {...props} absent={words.worldMap} />
}

/**
 * A picture of the shared resources.
 * @param props.absent what is shown without one; absent if there has to be one
 */
function PictureField({ options, onChange, absent }: FieldProps & { absent?: string }) {
  const words = useWords('dashboardEditor')
  return (
    <PickOne
      {...useObjectFinder('resource_item')}
      label={words.picture}
      placeholder={absent ?? words.choose}
      isClearable={absent !== undefined}
      value={typeof options.resourceId === 'string' ? options.resourceId : ''}
      onChange={(resourceId) => onChange({ resourceId: resourceId || undefined })}
    />
  )
}

/** A picture with its size and its text. */
export function ResourceField(props: FieldProps) {
  const words = useWords('dashboardEditor')
  const { options, onChange } = props
  return (
    <>
      <PictureField {...props} />
      <Select
        label={words.fit}
        data={[
          { value: 'contain', label: words.fits.contain },
          { value: 'cover', label: words.fits.cover },
        ]}
        value={options.fit === 'cover' ? 'cover' : 'contain'}
        onChange={(fit) => onChange({ fit: fit === 'cover' ? 'cover' : undefined })}
      />
      <TextInput
        label={words.alt}
        autoComplete="off"
        maxLength={256}
        value={typeof options.alt === 'string' ? options.alt : ''}
        onChange={(event) => onChange({ alt: event.currentTarget.value || undefined })}
      />
    </>
  )
}

export function DashboardField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <PickOne
      {...useObjectFinder('dashboard')}
      label={words.dashboard}
      placeholder={words.choose}
      value={typeof options.dashboardId === 'string' ? options.dashboardId : ''}
      onChange={(dashboardId) => onChange({ dashboardId })}
    />
  )
}
