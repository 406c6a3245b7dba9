import { once } from '../../once.ts'

/**
 * Creates a formatter of values: five significant digits, whole numbers from 100,000, powers of ten for extremes.
 * @param decimals digits after the point of all values, in place of these rules
 */
export function createValueFormat(
  locale: string,
  decimals?: number,
): (value: number, unit?: string) => string {
  const make = (options: Intl.NumberFormatOptions) => once(() => new Intl.NumberFormat(locale, options))
  const plain = make({ maximumSignificantDigits: 5 })
  const whole = make({ maximumFractionDigits: 0 })
  const tiny = make({ notation: 'scientific', maximumSignificantDigits: 4 })
  const fixed = make({ minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  const format = (value: number) => {
    if (decimals !== undefined) return fixed().format(value)
    const size = Math.abs(value)
    if (size >= 1e12 || (size > 0 && size < 1e-4)) return tiny().format(value)
    return (size >= 1e5 ? whole() : plain()).format(value)
  }
  return (value, unit) => (unit ? `${format(value)} ${unit}` : format(value))
}

/** Creates a formatter of the labels of an axis, all with the same number of decimals. */
export function createAxisFormat(locale: string): (values: number[]) => string[] {
  const formats = new Map<string, Intl.NumberFormat>()
  return (values) => {
    const options = chooseAxisOptions(values)
    const key = JSON.stringify(options)
    const format = formats.get(key) ?? new Intl.NumberFormat(locale, options)
    formats.set(key, format)
    return values.map((value) => format.format(value))
  }
}

function chooseAxisOptions(values: number[]): Intl.NumberFormatOptions {
  const step = Math.abs((values[1] ?? 0) - (values[0] ?? 0))
  const largest = Math.max(...values.map(Math.abs))
  if (largest >= 1e6 || (largest > 0 && largest < 1e-3))
    return { notation: largest >= 1e6 ? 'compact' : 'scientific', maximumSignificantDigits: 5 }
  const decimals = step > 0 ? Math.max(0, Math.min(8, Math.ceil(-Math.log10(step) - 1e-9))) : 2
  return { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
}
