import { useI18n } from 'vue-i18n'

import type { Forecast } from '@/api/forecast'
import type { TaskStatus } from '@/api/tasks'

import { clock } from './clock'
import { useFormat } from './useFormat'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Nearer times are not told apart. */
const SOON = 30 * SECOND

/** An expectation is no more precise than this: whole minutes, then five minutes, then hours. */
export function roughly(ms: number): number {
  const step = ms < HOUR ? MINUTE : ms < DAY ? 5 * MINUTE : HOUR
  return Math.max(MINUTE, Math.round(ms / step) * step)
}

/** Expected starts, ends and run times in the language of the page. What is not known is null. */
export function useForecast() {
  const { t, locale } = useI18n()
  const { duration, count } = useFormat()

  /** Without the date if it is today. */
  function clockTime(iso: string): string {
    const at = new Date(iso)
    const isToday = at.toDateString() === new Date(clock.value).toDateString()
    return at.toLocaleString(locale.value, { ...(isToday ? {} : { month: 'short', day: 'numeric' }), hour: '2-digit', minute: '2-digit', hour12: false })
  }

  /** `in about 14 min`, or that it can be any moment. */
  function until(iso: string): string {
    const left = Date.parse(iso) - clock.value
    return left < SOON ? t('forecast.anyMoment') : t('forecast.in', { length: duration(roughly(left)) })
  }

  /** `in about 14 min, at the latest 15:40`. */
  function range(expected: string | null | undefined, latest: string | null | undefined): string | null {
    if (expected == null) return latest == null ? null : t('forecast.latestOnly', { latest: clockTime(latest) })
    const isWide = latest != null && Date.parse(latest) - Math.max(clock.value, Date.parse(expected)) >= MINUTE
    return isWide ? t('forecast.range', { when: until(expected), latest: clockTime(latest) }) : until(expected)
  }

  const start = (of: Forecast): string | null => range(of.eta, of.eta_latest)

  /** For a row: `start in 14 min`, `end in 2 h`; empty if nothing is known. */
  function short(of: Forecast & { status: TaskStatus }): string {
    const isEnd = of.status === 'running'
    const at = isEnd ? of.expected_end : of.status === 'queued' ? of.eta : null
    if (at == null) return ''
    const left = Date.parse(at) - clock.value
    if (left < SOON) return t(isEnd ? 'forecast.ends' : 'forecast.starts', { when: t('forecast.anyMoment') })
    return t(isEnd ? 'forecast.endIn' : 'forecast.startIn', { length: duration(roughly(left)) })
  }

  /** The whole expectation of a row, as its title. */
  function long(of: Forecast & { status: TaskStatus }): string {
    const isEnd = of.status === 'running'
    const text = isEnd ? range(of.expected_end, of.expected_end_latest) : of.status === 'queued' ? start(of) : null
    return text === null ? '' : t(isEnd ? 'forecast.ends' : 'forecast.starts', { when: text })
  }

  /** Short run times to the second. */
  const length = (seconds: number): string => duration(seconds * SECOND < 10 * MINUTE ? Math.round(seconds) * SECOND : roughly(seconds * SECOND))

  /** `12–19 min`: the shortest and the longest of a kind. */
  const between = (least: number, most: number): string => (length(least) === length(most) ? length(least) : t('forecast.between', { least: length(least), most: length(most) }))

  /** `Runs for about 12 min (19 min at most in nine of ten runs; from 14 runs)`. */
  function runTime(of: Forecast): string | null {
    if (of.predicted_seconds == null) return null
    const values = { length: length(of.predicted_seconds), most: length(of.predicted_seconds_high ?? of.predicted_seconds), count: count(of.predicted_from ?? 0) }
    return t(of.predicted_from == null ? 'forecast.runsFor' : 'forecast.runsForFrom', values, of.predicted_from ?? 0)
  }

  return { clockTime, until, range, start, short, long, length, between, runTime }
}
