import { Refusal } from '../../../parts/Refusal.tsx'
import { isObject } from '../../../parts/schema/schema.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { ValueText } from '../../../parts/Value.tsx'
import { useWords } from '../../../words/words.tsx'
import type { Content } from '../../assets/contents.ts'
import { useProperties } from '../../assets/use-properties.ts'
import type { Properties } from '../../devices/twin-changes.ts'
import { writeUnit } from '../../explore/use-units.ts'
import styles from './Widgets.module.css'

interface Props {
  assetId: string
  content: Pick<Content, 'componentId' | 'name' | 'unit'>
}

/** The reported value of a property with its time, and the desired value, whose time the server does not keep. */
export function PropertyState({ assetId, content }: Props) {
  const words = useWords('dashboards')
  const { data, error, reports } = useProperties(assetId)
  const { componentId, name } = content
  const reportedAt = reports.find(
    (report) => report.componentId === componentId && report.timeseriesName === name,
  )?.time
  if (data === undefined) return error !== null && <Refusal error={error} />
  return (
    <dl className={styles.propertyState}>
      <dt>{words.reported}</dt>
      <dd>
        <PropertyValue value={readProperty(data.reported, content)} unit={content.unit} />
        {reportedAt !== undefined && <RelativeTime at={reportedAt} />}
      </dd>
      <dt>{words.desired}</dt>
      <dd>
        <PropertyValue value={readProperty(data.desired, content)} unit={content.unit} />
      </dd>
    </dl>
  )
}

function PropertyValue({ value, unit }: { value: unknown; unit: Content['unit'] }) {
  const words = useWords('dashboards')
  if (value === undefined) return <span>{words.notSet}</span>
  return (
    <span className={styles.propertyValue}>
      <ValueText value={value} />
      {typeof value === 'number' && unit && <span>{writeUnit(unit)}</span>}
    </span>
  )
}

function readProperty(all: Properties, { componentId, name }: Props['content']): unknown {
  const group = componentId === null ? all : all[componentId]
  return isObject(group) && Object.hasOwn(group, name) ? group[name] : undefined
}
