import { useI18n } from 'vue-i18n'

import type { ResourceUse, Diagnosis, Progress, TaskFix } from '@/api/findings'
import type { TaskDetail } from '@/api/tasks'
import { visible } from '@/log/invisible'

import { useFormat } from './useFormat'

const HEADROOM = 1.2
const MIB = 1024

/** The memory to request: the peak plus headroom, rounded up to a whole GiB. */
export const enoughGib = (peakMib: number): number => Math.max(1, Math.ceil((peakMib * HEADROOM) / MIB))

export type MemoryVerdict = 'less' | 'tight' | 'over' | 'fits' | 'unasked' | 'short'
export type WorkVerdict = 'idle' | 'low' | 'busy'

const SHORT_SECONDS = 10

/**
 * Compares used with requested memory. `less` needs a difference of at least 2 GiB and a third. A task that
 * did not run to its end might have needed more, so it gets no advice to request less.
 */
export function memoryVerdict({ peak_memory_mb: peak, memory_asked_mb: asked, watched_seconds }: ResourceUse, isWhole: boolean): MemoryVerdict | null {
  if (asked !== null && peak > asked) return 'over'
  if (!isWhole) return null
  if (watched_seconds < SHORT_SECONDS) return 'short'
  if (asked === null) return 'unasked'
  if (peak > asked * 0.95) return 'tight'
  const enough = enoughGib(peak) * MIB
  return enough <= asked - 2 * MIB && enough < asked * 0.67 ? 'less' : 'fits'
}

export function workVerdict({ mean_utilization: mean, watched_seconds }: ResourceUse): WorkVerdict | null {
  if (mean === null || watched_seconds < SHORT_SECONDS) return null
  return mean < 15 ? 'idle' : mean < 50 ? 'low' : 'busy'
}

/** Texts about one task: progress, cause of failure, resource use. */
export function useFindings() {
  const { t, locale } = useI18n()
  const { text, visibleValues, nameOf, memory, duration, count, countdown, moments } = useFormat()

  const causeWord = (cause: string): string => nameOf(`diagnosis.word.${cause}`, cause)

  /** The text of a cause with the values of its log line. An unknown cause of a newer server is shown by its advice. */
  function causeText(one: Diagnosis): string {
    return text('cause', one.cause, visibleValues(one.params)) ?? visible(one.advice)
  }

  /** Null if the cause is shown by the advice already. */
  function causeFix(one: Diagnosis): string | null {
    const values = visibleValues(one.params)
    if (text('cause', one.cause, values) === null) return null
    return text('advice', values.advice ?? one.cause, values) ?? visible(one.advice)
  }

  const gibText = (gb: number): string => memory(gb * MIB)

  /** What the fix changes. */
  function changes(task: TaskDetail, redo: TaskFix): { name: 'memory' | 'env' | 'time'; text: string }[] {
    const found: { name: 'memory' | 'env' | 'time'; text: string }[] = []
    const from = (before: string | null, after: string): string => (before === null ? after : t('diagnosis.from', { before, after }))
    if (redo.memory_gb != null) found.push({ name: 'memory', text: from(task.memory_gb === null ? null : gibText(task.memory_gb), gibText(redo.memory_gb)) })
    for (const [name, value] of Object.entries(redo.env ?? {})) found.push({ name: 'env', text: visible(`${name}=${value}`) })
    const seconds = redo.timeout_seconds
    if (seconds != null) found.push({ name: 'time', text: from(task.timeout_seconds === null ? null : duration(task.timeout_seconds * 1000), duration(seconds * 1000)) })
    return found
  }

  const number = (value: number): string => value.toLocaleString(locale.value, { maximumFractionDigits: value < 10 ? 1 : 0 })

  /** Per second, minute or hour: the first one with a rate of at least 1. */
  function rate(progress: Progress): string | null {
    const perSecond = progress.per_second
    if (perSecond === null || perSecond <= 0) return null
    const unit = progress.unit === '' ? t('progress.steps') : visible(progress.unit)
    if (perSecond >= 1) return t('progress.perSecond', { rate: number(perSecond), unit })
    if (perSecond * 60 >= 1) return t('progress.perMinute', { rate: number(perSecond * 60), unit })
    return t('progress.perHour', { rate: number(perSecond * 3600), unit })
  }

  const done = ({ done: part, total, unit }: Progress): string =>
    unit === '' ? t('progress.done', { done: count(part), total: count(total) }) : t('progress.doneUnit', { done: count(part), total: count(total), unit: visible(unit) })

  function finish(progress: Progress): string | null {
    if (progress.finish_at === null) return null
    const left = countdown(progress.finish_at)
    return left === null ? t('progress.soon') : t('progress.finish', { at: moments(progress.finish_at), left })
  }

  /** Sentences about memory and utilization. */
  function verdicts(used: ResourceUse, isWhole: boolean): string[] {
    const values = { peak: memory(used.peak_memory_mb), asked: used.memory_asked_mb === null ? '' : memory(used.memory_asked_mb), enough: gibText(enoughGib(used.peak_memory_mb)) }
    const room = memoryVerdict(used, isWhole)
    const work = workVerdict(used)
    const sentences = room === null ? [] : [t(`resourceUse.verdict.${room}`, values)]
    if (work !== null) sentences.push(t(`resourceUse.verdict.${work}`, { mean: t('unit.percent', { amount: Math.round(used.mean_utilization!) }) }))
    return sentences
  }

  return { causeWord, causeText, causeFix, changes, rate, done, finish, verdicts }
}
