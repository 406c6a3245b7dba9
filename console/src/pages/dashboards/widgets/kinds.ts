import { alarmList } from './AlarmList.tsx'
import { barChart } from './BarChart.tsx'
import { commandButton } from './CommandButton.tsx'
import { embeddedDashboard } from './EmbeddedDashboard.tsx'
import { gauge } from './Gauge.tsx'
import { image } from './Image.tsx'
import type { WidgetKind } from './kind.ts'
import { latestValue } from './LatestValue.tsx'
import { lineChart } from './LineChart.tsx'
import { map } from './Map.tsx'
import { propertyInput } from './PropertyInput.tsx'
import { section } from './Section.tsx'
import { stateTimeline } from './StateTimeline.tsx'
import { table } from './Table.tsx'
import { text } from './Text.tsx'

/** All kinds of widgets, in the order in which they are offered. */
export const kinds: WidgetKind[] = [
  lineChart,
  latestValue,
  gauge,
  barChart,
  stateTimeline,
  table,
  alarmList,
  text,
  propertyInput,
  commandButton,
  image,
  map,
  embeddedDashboard,
  section,
]

const byName = new Map(kinds.map((kind) => [kind.kind, kind]))
export const findKind = (name: string): WidgetKind | undefined => byName.get(name)
