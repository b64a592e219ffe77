import { useI18n } from 'vue-i18n'

import type { Alert } from '@/api/alerts'
import type { CallFailed } from '@/api/request'
import type { LineProblem, Problem, Reason, TaskSummary } from '@/api/wire'
import { visible } from '@/log/marks'

import { gib, lengthMs, remainingMs, span } from './amounts'
import { clock } from './clock'
import { cardsOf, countText } from './form'

interface Said {
  code: string
  detail: string
  params: Record<string, string>
}

/** Everything that is said from data, in the language of the page. */
export function useSpeech() {
  const { t, te, tm, locale } = useI18n()

  function duration(ms: number): string {
    const { unit, major, minor } = span(ms)
    return t(minor === 0 ? `time.whole.${unit}` : `time.${unit}`, { major, minor })
  }

  const ago = (ms: number): string => (ms < 2000 ? t('time.now') : t('time.ago', { length: duration(ms) }))

  const since = (iso: string): string => ago(lengthMs(iso, clock.value))

  /** How long something took, or has taken so far. */
  const lasted = (from: string, to: string | null): string => duration(lengthMs(from, to ?? clock.value))

  /** How long until then; null once it is past. */
  function countdown(until: string | null | undefined): string | null {
    const left = remainingMs(until, clock.value)
    return left === null ? null : duration(left)
  }

  const moment = (iso: string): string =>
    new Date(iso).toLocaleString(locale.value, { dateStyle: 'medium', timeStyle: 'medium', hour12: false })

  /** Short where it is today. */
  function moments(iso: string): string {
    const date = new Date(iso)
    const isToday = date.toDateString() === new Date(clock.value).toDateString()
    const time = date.toLocaleTimeString(locale.value, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
    if (isToday) return time
    return `${date.toLocaleDateString(locale.value, { month: '2-digit', day: '2-digit' })} ${time}`
  }

  const memory = (mib: number): string => t('unit.gib', { amount: gib(mib, locale.value) })

  /** On an axis, where a decimal says nothing. */
  const memoryWhole = (mib: number): string => t('unit.gib', { amount: (mib / 1024).toLocaleString(locale.value, { maximumFractionDigits: mib < 10_240 ? 1 : 0 }) })

  const memoryOf = (used: number, total: number): string =>
    t('unit.gib', { amount: `${gib(used, locale.value)} / ${gib(total, locale.value)}` })

  const count = (value: number): string => value.toLocaleString(locale.value)

  function spoken(kind: 'reason' | 'problem', said: Said): string {
    const key = `${kind}.${said.code}`
    if (said.code === '' || !te(key)) return visible(said.detail)
    const params = paramsOf(said)
    return visible(t(key, params, Number(params.wanted ?? params.position ?? 2)))
  }

  /** The server's values, and those put together from them. */
  function paramsOf(said: Said): Record<string, string> {
    const params = Object.fromEntries(Object.entries(said.params ?? {}).map(([name, value]) => [name, visible(String(value))]))
    if (params.pid !== undefined && params.program !== undefined) params.process = t(params.process_mib === undefined ? 'reason.process' : 'reason.processMemory', params)
    params.user ??= t('cards.someone')
    if (params.max !== undefined) params.longest = duration(Number(params.max) * 1000)
    if (params.until !== undefined) {
      params.left = countdown(params.until) ?? t('time.now')
      params.until = moments(params.until)
    }
    return params
  }

  const BY_MEMORY = new Set(['card.in_use', 'card.memory_short'])

  /** Where memory is short, the largest foreign process may be named too. */
  function reason(one: Reason): string {
    const sentences = [spoken('reason', one)]
    if (Number(one.params.margin_mib ?? 0) > 0) sentences.push(t('reason.margin', paramsOf(one)))
    if (BY_MEMORY.has(one.code) && one.params.pid !== undefined) sentences.push(t('reason.also', paramsOf(one)))
    return sentences.join(' ')
  }

  const problem = (one: Problem): string => spoken('problem', one)
  /** Of a line no values are told: the line itself is shown. */
  const lineProblem = (one: LineProblem): string => (te(`inLine.${one.code}`) ? t(`inLine.${one.code}`) : visible(one.detail))
  const failure = (one: CallFailed): string => problem(one.problem)

  /** A message with its values; null where there is none, or a value is missing: half a sentence helps nobody. */
  function told(key: string, values: Record<string, string>): string | null {
    if (!te(key)) return null
    const names = [...String(tm(key)).matchAll(/\{(\w+)\}/g)].map((match) => match[1]!)
    return names.every((name) => values[name] !== undefined) ? visible(t(key, values)) : null
  }

  /** By its type and details; one of a newer server is shown as the server said it. */
  function alert(one: Alert): string {
    const details = Object.fromEntries(Object.entries(one.details ?? {}).map(([name, value]) => [name, String(value)]))
    const values: Record<string, string> = { ...details }
    if (one.task_id !== null) values.task_id = String(one.task_id)
    if (details.free_mib !== undefined) values.free = memory(Number(details.free_mib))
    if (details.limit_seconds !== undefined) values.limit = duration(Number(details.limit_seconds) * 1000)
    const pids = Object.keys(details).filter((name) => /^\d+$/.test(name))
    if (pids.length > 0) values.processes = pids.map((pid) => t('reason.process', { program: details[pid]!, pid })).join(', ')
    return told(`alert.${one.type}`, values) ?? visible(one.message)
  }

  /** `2–4 × NVIDIA H200`, or `GPU 0, 1`. */
  function need(task: Pick<TaskSummary, 'devices' | 'gpu_type' | 'gpu_count' | 'max_gpu'>): string {
    const cards = named(task.devices)
    if (cards !== null) return cards
    return t('need.cards', { count: cardCount(task), type: task.gpu_type ?? t('need.any') })
  }

  /** Where a task may run, if not on any card. */
  function named(devices: string): string | null {
    if (devices === 'cpu') return t('need.cpu')
    const cards = cardsOf(devices)
    return cards.length === 0 ? null : t('need.named', { cards: cards.join(', ') })
  }

  const cardCount = (task: Pick<TaskSummary, 'gpu_count' | 'max_gpu'>): string => countText(task.gpu_count, task.max_gpu, '–')

  // Names that the server chooses from a few; one of a newer server is shown as it is.
  const known = (key: string, name: string): string => (te(key) ? t(key) : visible(name))
  const selector = (name: string): string => known(`selector.${name}`, name)
  const algorithm = (name: string): string => known(`algorithm.${name}`, name)
  const scorePart = (name: string): string => known(`placement.part.${name}`, name)
  function errorType(name: string): string {
    const [, code] = /^exit_(\d+)$/.exec(name) ?? []
    return code === undefined ? known(`errorType.${name}`, name) : t('errorType.exit', { code })
  }

  return { duration, ago, since, lasted, countdown, moment, moments, memory, memoryWhole, memoryOf, count, reason, problem, lineProblem, failure, told, known, alert, need, named, cardCount, selector, algorithm, scorePart, errorType }
}
