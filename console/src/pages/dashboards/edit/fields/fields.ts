import type { ComponentType } from 'react'
import type { OptionField } from '../../widgets/kind.ts'
import {
  AggregationField,
  CollapsedField,
  CompareField,
  HistoryField,
  IntervalField,
  SeverityField,
  TextField,
} from './ChoiceFields.tsx'
import { AssetField, AssetsField } from './AssetFields.tsx'
import { CommandField } from './CommandField.tsx'
import type { FieldProps } from './field.ts'
import { MarkersField } from './MarkersField.tsx'
import { PeriodField } from './PeriodField.tsx'
import { PropertyField } from './PropertyField.tsx'
import { DashboardField, PlanField, ResourceField, RulesField } from './ReferenceFields.tsx'
import { ScaleField } from './ScaleField.tsx'
import { PlainSignalsField, SignalField, SignalsField } from './SignalsField.tsx'

export const fieldParts: Record<OptionField, ComponentType<FieldProps>> = {
  signals: SignalsField,
  plainSignals: PlainSignalsField,
  signal: SignalField,
  scale: ScaleField,
  period: PeriodField,
  aggregation: AggregationField,
  interval: IntervalField,
  compare: CompareField,
  collapsed: CollapsedField,
  asset: AssetField,
  assets: AssetsField,
  command: CommandField,
  property: PropertyField,
  rules: RulesField,
  severity: SeverityField,
  history: HistoryField,
  resource: ResourceField,
  picture: PlanField,
  markers: MarkersField,
  dashboard: DashboardField,
  text: TextField,
}
