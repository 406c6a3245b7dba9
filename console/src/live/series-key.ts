import type { TelemetryEvent } from '@gangway/client'

export const seriesKey = ({
  assetId,
  componentId,
  timeseriesType,
  timeseriesName,
}: Pick<TelemetryEvent, 'assetId' | 'componentId' | 'timeseriesType' | 'timeseriesName'>) =>
  JSON.stringify([assetId, componentId, timeseriesType, timeseriesName])
