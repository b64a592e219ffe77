import { useI18n } from 'vue-i18n'

import type { Consumption, Diagnosis, Progress, Redo } from '@/api/findings'
import type { TaskDetail } from '@/api/wire'
import { visible } from '@/log/marks'

import { useSpeech } from './speech'

const ROOM = 1.2
const MIB = 1024

/** What one would ask for: the peak, some room, and a whole number of GiB. */
export const enoughGib = (peakMib: number): number => Math.max(1, Math.ceil((peakMib * ROOM) / MIB))

export type MemoryVerdict = 'less' | 'tight' | 'over' | 'fits' | 'unasked' | 'short'
export type WorkVerdict = 'idle' | 'low' | 'busy'

const SHORT_SECONDS = 10

/**
 * Was what was asked for right? Little is worth no word: it has to be less by two GiB and by a third. Who
 * was cut short might have needed more, so nobody tells them to ask for less.
 */
export function memoryVerdict({ peak_memory_mb: peak, memory_asked_mb: asked, watched_seconds }: Consumption, isWhole: boolean): MemoryVerdict | null {
  if (asked !== null && peak > asked) return 'over'
  if (!isWhole) return null
  if (watched_seconds < SHORT_SECONDS) return 'short'
  if (asked === null) return 'unasked'
  if (peak > asked * 0.95) return 'tight'
  const enough = enoughGib(peak) * MIB
  return enough <= asked - 2 * MIB && enough < asked * 0.67 ? 'less' : 'fits'
}

export function workVerdict({ mean_utilization: mean, watched_seconds }: Consumption): WorkVerdict | null {
  if (mean === null || watched_seconds < SHORT_SECONDS) return null
  return mean < 15 ? 'idle' : mean < 50 ? 'low' : 'busy'
}

/** What is said of the insides of a task: how far it is, why it failed, what it used. */
export function useFindings() {
  const { t, locale } = useI18n()
  const { told, known, memory, duration, count, countdown, moments } = useSpeech()

  const causeWord = (cause: string): string => known(`doctor.word.${cause}`, cause)

  /** By its cause and what the line names; a cause of a newer server is told by its advice alone. */
  function causeText(one: Diagnosis): string {
    const values = shown(one.params)
    return told(`doctor.named.${one.cause}`, values) ?? told(`doctor.also.${one.cause}`, values) ?? told(`doctor.text.${one.cause}`, {}) ?? visible(one.advice)
  }

  function causeFix(one: Diagnosis): string | null {
    if (one.cause === 'oom' && one.redo?.memory_gb == null) return t('doctor.fix.oomLess')
    return told(`doctor.fix.${one.cause}`, {})
  }

  function shown(params: Record<string, string> | null | undefined): Record<string, string> {
    const values = Object.fromEntries(Object.entries(params ?? {}).map(([name, value]) => [name, visible(String(value))]))
    if (values.tried_mib !== undefined) values.tried = memory(Number(values.tried_mib))
    if (values.total_mib !== undefined) values.total = memory(Number(values.total_mib))
    return values
  }

  const gibText = (gb: number): string => memory(gb * MIB)

  /** What would be different the next time. */
  function changes(task: TaskDetail, redo: Redo): { name: 'memory' | 'env' | 'time'; text: string }[] {
    const found: { name: 'memory' | 'env' | 'time'; text: string }[] = []
    const from = (before: string | null, after: string): string => (before === null ? after : t('doctor.from', { before, after }))
    if (redo.memory_gb != null) found.push({ name: 'memory', text: from(task.memory_gb === null ? null : gibText(task.memory_gb), gibText(redo.memory_gb)) })
    for (const [name, value] of Object.entries(redo.env ?? {})) found.push({ name: 'env', text: visible(`${name}=${value}`) })
    const seconds = redo.timeout_seconds ?? redo.time_limit
    if (seconds != null) found.push({ name: 'time', text: from(task.timeout_seconds === null ? null : duration(task.timeout_seconds * 1000), duration(seconds * 1000)) })
    return found
  }

  const number = (value: number): string => value.toLocaleString(locale.value, { maximumFractionDigits: value < 10 ? 1 : 0 })

  /** In the span in which something whole happens. */
  function rate(progress: Progress): string | null {
    const perSecond = progress.per_second
    if (perSecond === null || perSecond <= 0) return null
    const unit = progress.unit === null || progress.unit === '' ? t('progress.steps') : visible(progress.unit)
    if (perSecond >= 1) return t('progress.perSecond', { rate: number(perSecond), unit })
    if (perSecond * 60 >= 1) return t('progress.perMinute', { rate: number(perSecond * 60), unit })
    return t('progress.perHour', { rate: number(perSecond * 3600), unit })
  }

  const done = ({ done: part, total, unit }: Progress): string =>
    unit === null || unit === '' ? t('progress.done', { done: count(part), total: count(total) }) : t('progress.doneUnit', { done: count(part), total: count(total), unit: visible(unit) })

  function finish(progress: Progress): string | null {
    if (progress.finish_at === null) return null
    const left = countdown(progress.finish_at)
    return left === null ? t('progress.soon') : t('progress.finish', { at: moments(progress.finish_at), left })
  }

  /** Plain sentences: was the memory right, was the card busy? */
  function verdicts(used: Consumption, isWhole: boolean): string[] {
    const values = { peak: memory(used.peak_memory_mb), asked: used.memory_asked_mb === null ? '' : memory(used.memory_asked_mb), enough: gibText(enoughGib(used.peak_memory_mb)) }
    const room = memoryVerdict(used, isWhole)
    const work = workVerdict(used)
    const sentences = room === null ? [] : [t(`consumed.verdict.${room}`, values)]
    if (work !== null) sentences.push(t(`consumed.verdict.${work}`, { mean: t('unit.percent', { amount: Math.round(used.mean_utilization!) }) }))
    return sentences
  }

  return { causeWord, causeText, causeFix, changes, rate, done, finish, verdicts }
}
