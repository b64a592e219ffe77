import { isFinal, TASK_STATUSES, type TaskStatus, type TaskSummary } from '@/api/tasks'

export const SORT_KEYS = ['id', 'name', 'owner', 'finished_at'] as const
export type SortKey = (typeof SORT_KEYS)[number]
export type Sort = SortKey | `-${SortKey}`
export type Filter = TaskStatus | 'all'

/** What the list of tasks shows, and in which order; the address of the page contains it. */
export interface TaskQuery {
  filter: Filter
  owner: string
  text: string
  sort: Sort
}

export const NEWEST_FIRST: Sort = '-id'
export const DEFAULT_QUERY: TaskQuery = { filter: 'all', owner: '', text: '', sort: NEWEST_FIRST }
const MAX_TEXT = 200

type Address = Record<string, unknown>

/** In an address: the tasks of everybody, where one's own are the default. */
const EVERYBODY = '*'

/**
 * The query of an address. What an address cannot mean is ignored, so that every link opens. `usualOwner` is
 * meant where an address names no owner; empty: everybody.
 */
export function queryOf(address: Address, usualOwner = ''): TaskQuery {
  const text = (name: string): string => (typeof address[name] === 'string' ? (address[name] as string).slice(0, MAX_TEXT) : '')
  const sort = text('sort')
  const status = text('status')
  return {
    filter: TASK_STATUSES.find((one) => one === status) ?? 'all',
    owner: text('owner') === EVERYBODY ? '' : text('owner') || usualOwner,
    text: text('q'),
    sort: SORT_KEYS.some((key) => sort === key || sort === `-${key}`) ? (sort as Sort) : NEWEST_FIRST,
  }
}

/** The parameters of an address. */
export function addressOf(query: TaskQuery, usualOwner = ''): Record<string, string> {
  const { owner, ...others } = parametersOf(query)
  if (query.owner === usualOwner) return others
  return { ...others, owner: owner ?? EVERYBODY }
}

/** The parameters of a request; defaults are left out. */
export function parametersOf(query: TaskQuery): Record<string, string> {
  const parameters: Record<string, string> = {}
  const text = wordsOf(query.text).join(' ')
  if (query.filter !== 'all') parameters.status = query.filter
  if (query.owner !== '') parameters.owner = query.owner
  if (text !== '') parameters.q = text
  if (query.sort !== NEWEST_FIRST) parameters.sort = query.sort
  return parameters
}

/** At most eight, as the server allows. */
const wordsOf = (text: string): string[] => text.slice(0, MAX_TEXT).split(/\s+/).filter(Boolean).slice(0, 8)

export const keyOf = (query: TaskQuery): string => new URLSearchParams(parametersOf(query)).toString()

/** The same rules as on the server, for tasks that arrive by events. */
export function matching(task: TaskSummary, query: TaskQuery): boolean {
  if (task.source === 'worker') return false
  if (query.filter !== 'all' && task.status !== query.filter) return false
  if (query.owner !== '' && task.owner !== query.owner) return false
  if (query.sort.endsWith('finished_at') && !isFinal(task.status)) return false
  const texts = [`#${task.id}`, task.name, task.owner, task.gpu_type ?? ''].map(lower)
  return wordsOf(query.text).every((word) => texts.some((text) => text.includes(lower(word))))
}

/** Negative if the first task comes first. */
export function comparing(sort: Sort): (one: TaskSummary, other: TaskSummary) => number {
  const isDescending = sort.startsWith('-')
  const key = sort.replace('-', '') as SortKey
  const compare = (one: TaskSummary, other: TaskSummary): number => (key === 'id' ? 0 : order(valueOf(one, key), valueOf(other, key))) || one.id - other.id
  return isDescending ? (one, other) => compare(other, one) : compare
}

const valueOf = (task: TaskSummary, key: Exclude<SortKey, 'id'>): string => (key === 'name' ? lower(task.name) : (task[key] ?? ''))
const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Like the server: only the letters A to Z. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
