/** Creates a formatter of values: five significant digits, whole numbers from 100,000, powers of ten for extremes. */
export function createValueFormat(locale: string): (value: number, unit?: string) => string {
  const plain = new Intl.NumberFormat(locale, { maximumSignificantDigits: 5 })
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 })
  const tiny = new Intl.NumberFormat(locale, { notation: 'scientific', maximumSignificantDigits: 4 })
  const format = (value: number) => {
    const size = Math.abs(value)
    if (size >= 1e12 || (size > 0 && size < 1e-4)) return tiny.format(value)
    return size >= 1e5 ? whole.format(value) : plain.format(value)
  }
  return (value, unit) => (unit ? `${format(value)} ${unit}` : format(value))
}

/** Formats the labels of an axis, all with the same number of decimals. */
export function formatAxis(locale: string, values: number[]): string[] {
  const step = Math.abs((values[1] ?? 0) - (values[0] ?? 0))
  const largest = Math.max(...values.map(Math.abs))
  if (largest >= 1e6 || (largest > 0 && largest < 1e-3)) {
    const short = new Intl.NumberFormat(locale, {
      notation: largest >= 1e6 ? 'compact' : 'scientific',
      maximumSignificantDigits: 5,
    })
    return values.map((value) => short.format(value))
  }
  const decimals = step > 0 ? Math.max(0, Math.min(8, Math.ceil(-Math.log10(step) - 1e-9))) : 2
  const plain = new Intl.NumberFormat(locale, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  })
  return values.map((value) => plain.format(value))
}
