import { useI18n } from 'vue-i18n'

import type { Alert } from '@/api/alerts'
import type { Suggestion } from '@/api/forecast'
import type { LineProblem, Problem, Reason } from '@/api/problems'
import type { CallFailed } from '@/api/request'
import type { TaskSummary } from '@/api/tasks'
import { gpusNamedBy, countText } from '@/form/taskForm'
import type { Language } from '@/i18n'
import { visible } from '@/log/invisible'
import { sentence, type Family } from '@/texts/catalogue'
import { stored } from '@/texts/stored'

import { gib, durationMs, remainingMs, span } from './amounts'
import { clock } from './clock'
import { marked, piecesOf, type TextPiece } from './linkedText'

/** Values that may be sentences of Berth themselves. */
const isSentence = (name: string): boolean => name === 'cause' || name === 'why' || name === 'error'

/** Formats values and server messages in the language of the page. */
export function useFormat() {
  const { t, te, locale } = useI18n()

  function duration(ms: number): string {
    const { unit, major, minor } = span(ms)
    return t(minor === 0 ? `time.whole.${unit}` : `time.${unit}`, { major, minor })
  }

  const ago = (ms: number): string => (ms < 2000 ? t('time.now') : t('time.ago', { length: duration(ms) }))

  const since = (iso: string): string => ago(durationMs(iso, clock.value))

  /** The duration of something that has ended or still runs. */
  const lasted = (from: string, to: string | null): string => duration(durationMs(from, to ?? clock.value))

  /** The time until then; null if it is past. */
  function countdown(until: string | null | undefined): string | null {
    const left = remainingMs(until, clock.value)
    return left === null ? null : duration(left)
  }

  const moment = (iso: string): string =>
    new Date(iso).toLocaleString(locale.value, { dateStyle: 'medium', timeStyle: 'medium', hour12: false })

  /** Without the date if it is today. */
  function moments(iso: string): string {
    const date = new Date(iso)
    const isToday = date.toDateString() === new Date(clock.value).toDateString()
    const time = date.toLocaleTimeString(locale.value, { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
    if (isToday) return time
    return `${date.toLocaleDateString(locale.value, { month: '2-digit', day: '2-digit' })} ${time}`
  }

  const memory = (mib: number): string => t('unit.gib', { amount: gib(mib, locale.value) })

  /** For an axis: without decimals from 10 GiB on. */
  const memoryWhole = (mib: number): string => t('unit.gib', { amount: (mib / 1024).toLocaleString(locale.value, { maximumFractionDigits: mib < 10_240 ? 1 : 0 }) })

  const memoryOf = (used: number, total: number): string =>
    t('unit.gib', { amount: `${gib(used, locale.value)} / ${gib(total, locale.value)}` })

  const count = (value: number): string => value.toLocaleString(locale.value)

  /** The sentence of the catalogue. What a newer server sends, and this console does not know, is shown as it is. */
  const text = (family: Family, code: string, values: Record<string, string>): string | null => {
    const found = sentence(locale.value as Language, family, code, values)
    return found === null ? null : visible(found)
  }

  /** An error of a task or a reason, which the server may have sent as its English sentence. */
  const errorText = (error: string): string => visible(stored(locale.value as Language, error))

  const visibleValues = (params: Record<string, unknown> | null | undefined): Record<string, string> =>
    Object.fromEntries(Object.entries(params ?? {}).map(([name, value]) => [name, isSentence(name) ? errorText(String(value)) : visible(String(value))]))

  /** Times are shown as local times, with a countdown. */
  function reasonValues(one: Reason): Record<string, string> {
    const values = visibleValues(one.params)
    const left = values.until === undefined ? null : countdown(values.until)
    if (left !== null) Object.assign(values, { left, variant: values.variant ?? 'countdown' })
    for (const name of ['from', 'until']) if (values[name] !== undefined) values[name] = moments(values[name])
    return values
  }

  const reason = (one: Reason): string => text('reason', one.code, reasonValues(one)) ?? visible(one.detail)

  /** The sentence with its values marked, in pieces; tasks, GPUs and runs are links. */
  function linked(family: Family, code: string, values: Record<string, string>, otherwise: string): TextPiece[] {
    const found = sentence(locale.value as Language, family, code, marked(values))
    return found === null ? [{ text: visible(otherwise) }] : piecesOf(found).map((piece) => ({ ...piece, text: visible(piece.text) }))
  }

  const reasonPieces = (one: Reason): TextPiece[] => linked('reason', one.code, reasonValues(one), one.detail)

  function problem(one: Problem): string {
    const values = visibleValues(one.params)
    if (one.field != null) values.field = visible(one.field)
    return text('problem', one.code, values) ?? visible(one.detail)
  }

  function suggestion(one: Suggestion): string {
    const values = visibleValues(one.params)
    if (values.priority !== undefined) values.priority = nameOf(`priority.${values.priority}`, values.priority)
    return text('suggestion', one.code, values) ?? visible(one.detail)
  }

  /** The server writes these in the language of the call. */
  const lineProblem = (one: LineProblem): string => visible(one.detail)
  const failure = (one: CallFailed): string => problem(one.problem)

  /** The text by type and details. An unknown type of a newer server is shown with the server's text. */
  function alert(one: Alert): string {
    const values = visibleValues(one.details)
    if (one.task_id !== null) values.task = String(one.task_id)
    return text('alert', one.type, values) ?? visible(one.message)
  }

  /** `2–4 × NVIDIA H200`, or `GPU 0, 1`. */
  function need(task: Pick<TaskSummary, 'devices' | 'gpu_type' | 'gpu_count' | 'max_gpu'>): string {
    const gpus = named(task.devices)
    if (gpus !== null) return gpus
    return t('need.gpus', { count: gpuCount(task), type: task.gpu_type ?? t('need.any') })
  }

  /** The named GPUs or the CPU; null for a task that may run on any GPU. */
  function named(devices: string): string | null {
    if (devices === 'cpu') return t('need.cpu')
    const gpus = gpusNamedBy(devices)
    return gpus.length === 0 ? null : t('need.named', { gpus: gpus.join(', ') })
  }

  const gpuCount = (task: Pick<TaskSummary, 'gpu_count' | 'max_gpu'>): string => countText(task.gpu_count, task.max_gpu, '–')

  // Names from a fixed list. An unknown name of a newer server is shown as it is.
  const nameOf = (key: string, name: string): string => (te(key) ? t(key) : visible(name))
  const selector = (name: string): string => nameOf(`selector.${name}`, name)
  const algorithm = (name: string): string => nameOf(`algorithm.${name}`, name)
  const scorePart = (name: string): string => nameOf(`placement.part.${name}`, name)
  function errorType(name: string): string {
    const [, code] = /^exit_(\d+)$/.exec(name) ?? []
    return code === undefined ? nameOf(`errorType.${name}`, name) : t('errorType.exit', { code })
  }

  return { duration, ago, since, lasted, countdown, moment, moments, memory, memoryWhole, memoryOf, count, reason, reasonPieces, problem, suggestion, lineProblem, failure, text, visibleValues, nameOf, errorText, alert, need, named, gpuCount, selector, algorithm, scorePart, errorType }
}
