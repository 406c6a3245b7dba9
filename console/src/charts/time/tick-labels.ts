/** Labels of the time axis: the time of each tick, and below it the day or year at the first tick of each. */
import { once } from '../../once.ts'
import { isAmbiguous, toWall, type Zone } from './zone.ts'
import type { TickStep } from './ticks.ts'

const DAY_MS = 86_400_000

export type TickLabeller = (ticks: number[], step: TickStep) => string[]

/** @param locale a language tag such as `en-GB` */
export function createTickLabeller(zone: Zone, locale: string): TickLabeller {
  const format = (options: Intl.DateTimeFormatOptions) => {
    const formatter = once(
      () => new Intl.DateTimeFormat(locale, { timeZone: zone.name, hourCycle: 'h23', ...options }),
    )
    return (at: number) => formatter().format(at)
  }
  const clock = { hour: '2-digit', minute: '2-digit' } as const
  const formats = {
    milliseconds: format({ ...clock, second: '2-digit', fractionalSecondDigits: 3 }),
    seconds: format({ ...clock, second: '2-digit' }),
    minutes: format(clock),
    minutesWithZone: format({ ...clock, timeZoneName: 'short' }),
    day: format({ day: 'numeric', month: 'short' }),
    weekday: format({ weekday: 'short', day: 'numeric', month: 'short' }),
    month: format({ month: 'short' }),
    year: format({ year: 'numeric' }),
  }
  const labelClock = (at: number, step: TickStep) => {
    if (isAmbiguous(zone, at)) return formats.minutesWithZone(at)
    if (step.unit !== 'ms' || step.count >= 60_000) return formats.minutes(at)
    return step.count >= 1000 ? formats.seconds(at) : formats.milliseconds(at)
  }
  const dayNumber = (at: number) => Math.floor(toWall(zone, at) / DAY_MS)
  const year = (at: number) => new Date(toWall(zone, at)).getUTCFullYear()

  return (ticks, step) =>
    ticks.map((at, index) => {
      const before = ticks[index - 1]
      if (step.unit === 'year') return formats.year(at)
      const isNewYear = before === undefined || year(before) !== year(at)
      const name = step.unit === 'month' ? formats.month : formats.day
      if (step.unit === 'month' || step.unit === 'day')
        return isNewYear ? `${name(at)}\n${formats.year(at)}` : name(at)
      const isNewDay = before === undefined || dayNumber(before) !== dayNumber(at)
      return isNewDay ? `${labelClock(at, step)}\n${formats.weekday(at)}` : labelClock(at, step)
    })
}
