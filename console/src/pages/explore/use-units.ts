import { useQueries } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { groupByOwner, type Signal } from './signal.ts'

/** Units from the models of assets, by the id of the signal. */
export function useUnits(signals: Signal[]): Record<string, string> {
  const api = useApi()
  const owners = [...groupByOwner(signals)]
  return useQueries({
    queries: owners.map(([ownerId]) => ({
      queryKey: ['units', ownerId],
      // A provider client has no model.
      queryFn: () => readUnits(api, ownerId).catch(() => ({}) as Record<string, string>),
      staleTime: 300_000,
    })),
    combine: (results) => {
      const units: Record<string, string> = {}
      for (const [index, [, members]] of owners.entries())
        for (const { id, componentId, name } of members) {
          const unit = results[index]?.data?.[`${componentId ?? '-'}/${name}`]
          if (unit) units[id] = unit
        }
      return units
    },
  })
}

async function readUnits(api: ReturnType<typeof useApi>, assetId: string): Promise<Record<string, string>> {
  const { modelId } = await api.get('/v1/assets/{assetId}', { path: { assetId } })
  const { contents } = await api.get('/v1/models/{modelId}/asset', { path: { modelId } })
  return Object.fromEntries(
    contents.flatMap(({ name, unit, componentId }) =>
      unit ? [[`${componentId ?? '-'}/${name}`, writeUnit(unit)]] : [],
    ),
  )
}

/** Symbols of DTDL units; other units are shown as they are. */
const symbols: Record<string, string> = {
  degreeCelsius: '°C',
  degreeFahrenheit: '°F',
  kelvin: 'K',
  bar: 'bar',
  pascal: 'Pa',
  kilopascal: 'kPa',
  percent: '%',
  volt: 'V',
  ampere: 'A',
  watt: 'W',
  kilowatt: 'kW',
  kilowattHour: 'kWh',
  hertz: 'Hz',
  metre: 'm',
  millimetre: 'mm',
  metrePerSecond: 'm/s',
  litre: 'l',
  litrePerHour: 'l/h',
  revolutionPerMinute: 'rpm',
  second: 's',
  kilogram: 'kg',
}
export const writeUnit = (unit: string) => symbols[unit] ?? unit
