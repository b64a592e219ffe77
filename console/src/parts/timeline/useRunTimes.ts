import { useI18n } from 'vue-i18n'

import type { TimelineRun } from '@/api/timeline'
import { clock } from '@/format/clock'
import { useForecast } from '@/format/useForecast'

/** The times of a run in words. Those that are only expected say so. */
export function useRunTimes() {
  const { t } = useI18n()
  const { clockTime } = useForecast()

  const isExpected = (run: TimelineRun): boolean => run.is_predicted && run.status !== 'running'
  const start = (run: TimelineRun): string => clockTime(run.start)

  function end(run: TimelineRun): string {
    if (run.end === null) return t('timeline.endUnknown')
    const isOpen = run.is_predicted || (run.status === 'running' && Date.parse(run.end) > clock.value)
    const text = clockTime(run.end)
    return isOpen && run.end_latest !== null ? t('forecast.range', { when: text, latest: clockTime(run.end_latest) }) : text
  }

  const state = (run: TimelineRun): string => (isExpected(run) ? t('timeline.expected') : t(`status.${run.status}`))

  return { isExpected, start, end, state }
}
