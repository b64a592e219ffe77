import { useI18n } from 'vue-i18n'

import type { Limit, LimitKey } from '@/api/people'
import { useFormat } from '@/format/useFormat'
import { visible } from '@/log/invisible'

const GROUP = 'group:'

/** A limit may be a hundredth of an hour. */
const LIMIT_DIGITS = 2

/** Limits as text. */
export function useLimits() {
  const { t, te, locale } = useI18n()
  const { nameOf } = useFormat()

  const hours = (value: number, digits = 1): string => t('people.hours', { amount: value.toLocaleString(locale.value, { maximumFractionDigits: digits }) })

  function limitText(key: LimitKey, { value }: Limit): string {
    if (key === 'max_priority') return nameOf(`priority.${String(value).toUpperCase()}`, String(value))
    if (typeof value !== 'number') return visible(value)
    return key === 'max_hours' || key === 'gpu_hours_per_day' ? hours(value, LIMIT_DIGITS) : value.toLocaleString(locale.value)
  }

  /** Where a limit comes from. */
  function sourceText(source: string): string {
    if (source.startsWith(GROUP)) return t('people.source.group', { group: visible(source.slice(GROUP.length)) })
    return te(`people.source.${source}`) ? t(`people.source.${source}`) : visible(source)
  }

  return { hours, limitText, sourceText }
}
