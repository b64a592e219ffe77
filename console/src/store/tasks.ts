import { defineStore } from 'pinia'
import { computed, reactive, ref, shallowRef, triggerRef } from 'vue'

import type { Answer } from '@/api/request'
import { isFinal, taskApi, type TaskDetail, type TaskStatus, type TaskSummary } from '@/api/tasks'

import { Loader } from './loader'
import { useTaskAnswers, type IsOutdated } from './taskAnswers'

export const FIRST_PAGE = 200
export const NEXT_PAGE = 1000
/** How many finished tasks are kept in addition to the loaded pages. */
export const MAX_EXTRA_TASKS = 1000
const MAX_PENDING_EVENTS = 500
export type Filter = TaskStatus | 'all'

interface Pages {
  /** All tasks with this id or a higher one are loaded. */
  lowestId: number
  isComplete: boolean
  total: number | null
  /** How many tasks the loaded pages had. */
  loaded: number
}

/** The tasks that were loaded so far, newest first, and which pages of each filter are loaded. */
export const useTasksStore = defineStore('tasks', () => {
  const answers = useTaskAnswers()
  const byId = shallowRef(new Map<number, TaskSummary>())
  const order = shallowRef<number[]>([])
  const pages = reactive(new Map<Filter, Pages>())
  const filter = ref<Filter>('all')
  const loader = new Loader()
  const progressLoader = new Loader()
  const pendingEvents = new Map<number, TaskSummary>()
  let trimAtSize = MAX_EXTRA_TASKS

  const newestFirst = computed(() => order.value.map((id) => byId.value.get(id)!))
  const isKnown = computed(() => pages.get('all') !== undefined)
  const page = computed(() => pages.get(filter.value))

  /** Takes the task of an event. A burst of events changes the list once, with the next animation frame. */
  function take(task: TaskSummary): void {
    if (pendingEvents.size === 0) requestAnimationFrame(takeEvents)
    pendingEvents.set(task.id, summaryOf(task))
    // A hidden page gets no animation frames.
    if (pendingEvents.size >= MAX_PENDING_EVENTS) takeEvents()
  }

  function takeEvents(): void {
    if (pendingEvents.size === 0) return
    const all = pages.get('all')
    if (all?.total != null) {
      for (const id of pendingEvents.keys()) if (id > all.lowestId && !byId.value.has(id)) all.total++
    }
    put([...pendingEvents.values()])
    pendingEvents.clear()
  }

  /** Takes the task of an answer, unless an event is newer. */
  function takeAnswer(task: TaskDetail, isOutdated: IsOutdated): void {
    takeEvents()
    if (!isOutdated(task.id)) put([summaryOf(task)])
  }

  function put(tasks: TaskSummary[]): void {
    const added = tasks.filter((task) => !byId.value.has(task.id)).map((task) => task.id)
    for (const task of tasks) byId.value.set(task.id, task)
    if (added.length > 0) order.value = [...added, ...order.value].sort((a, b) => b - a)
    triggerRef(byId)
    if (byId.value.size > trimAtSize) trim()
  }

  function drop(isDropped: (task: TaskSummary) => boolean): void {
    for (const task of newestFirst.value) if (isDropped(task)) byId.value.delete(task.id)
    order.value = order.value.filter((id) => byId.value.has(id))
    triggerRef(byId)
  }

  /** A page may stay open for weeks, so it keeps only the loaded finished tasks and MAX_EXTRA_TASKS more. */
  function trim(): void {
    for (const which of [...pages.keys()]) {
      if (shownFilters().includes(which)) shorten(which)
      else pages.delete(which)
    }
    let extra = 0
    drop((task) => isFinal(task.status) && !isLoaded(task) && ++extra > MAX_EXTRA_TASKS)
    trimAtSize = byId.value.size + MAX_EXTRA_TASKS
  }

  // Tasks added by events push out the oldest ones, which can be loaded again.
  function shorten(which: Filter): void {
    const known = pages.get(which)!
    const within = inside(which, known.lowestId)
    const last = within[known.loaded + MAX_EXTRA_TASKS - 1]
    if (last === undefined || within.length === known.loaded + MAX_EXTRA_TASKS) return
    pages.set(which, { ...known, lowestId: last.id, isComplete: false, total: Math.max(known.total ?? 0, within.length) })
  }

  const inside = (which: Filter, lowestId: number): TaskSummary[] => newestFirst.value.filter((task) => task.id >= lowestId && (which === 'all' || task.status === which))

  const isLoaded = (task: TaskSummary): boolean =>
    shownFilters().some((which) => (which === 'all' || task.status === which) && task.id >= (pages.get(which)?.lowestId ?? Infinity))

  /** Loads one page. Returns the id to continue from, or null at the end. */
  async function read(which: Filter, limit: number, before: number | null): Promise<number | null> {
    const status = which === 'all' ? null : which
    const { body } = await answers.request(
      () => taskApi.page({ limit, before, status }),
      (answer, isOutdated) => {
        const isComplete = answer.body.length < limit
        takeEvents()
        // Record the page first: put() may drop tasks outside the loaded pages.
        recordPage(which, before, answer, isComplete)
        put(answer.body.filter((task) => !isOutdated(task.id)))
        if (which === 'all' && before === null && isComplete) forgetVanished(answer.body, isOutdated)
      },
    )
    return body.length < limit ? null : body.at(-1)!.id
  }

  function recordPage(which: Filter, before: number | null, { body, total }: Answer<TaskSummary[]>, isComplete: boolean): void {
    const known = pages.get(which)
    const lowestId = body.at(-1)?.id ?? before ?? 0
    const newTotal = before === null || known === undefined ? total : known.total
    if (known !== undefined && lowestId > known.lowestId) {
      known.total = newTotal
    } else {
      const further = body.filter((task) => known === undefined || task.id < known.lowestId).length
      pages.set(which, { lowestId, isComplete, total: newTotal, loaded: (known?.loaded ?? 0) + further })
    }
  }

  // A complete list names all tasks: the server may run on a new home directory.
  function forgetVanished(body: TaskSummary[], isOutdated: IsOutdated): void {
    const present = new Set(body.map((task) => task.id))
    drop((task) => !present.has(task.id) && !isOutdated(task.id))
  }

  /** No event carries the progress of running tasks. */
  function loadRunning(): Promise<void> {
    if (!newestFirst.value.some((task) => task.status === 'running')) return Promise.resolve()
    return progressLoader.run('running', async () => void (await read('running', FIRST_PAGE, null)))
  }

  const shownFilters = (): Filter[] => (filter.value === 'all' ? ['all'] : ['all', filter.value])

  function load(): Promise<void> {
    const filters = shownFilters()
    return loader.run(`first ${filters.join()}`, async () => {
      for (const which of filters) await read(which, FIRST_PAGE, null)
    })
  }

  /** Loads all pages that were loaded before: older tasks may have changed while there was no stream. */
  function loadWhole(): Promise<void> {
    const filters = shownFilters()
    return loader.run(`whole ${filters.join()}`, async () => {
      for (const which of filters) {
        const goal = pages.get(which)?.lowestId ?? Infinity
        let next = await read(which, FIRST_PAGE, null)
        while (next !== null && next > goal) next = await read(which, Math.min(NEXT_PAGE, next - goal), next)
      }
    })
  }

  function loadMore(): Promise<void> {
    const which = filter.value
    if (pages.get(which)?.isComplete ?? true) return Promise.resolve()
    return loader.run(`more ${which}`, async () => {
      const known = pages.get(which)
      if (known !== undefined) await read(which, NEXT_PAGE, known.lowestId)
    })
  }

  function choose(next: Filter): void {
    filter.value = next
    if (pages.get(next) === undefined) void loader.run(`first ${next}`, async () => void (await read(next, FIRST_PAGE, null)))
  }

  return { byId, newestFirst, isKnown, page, filter, state: loader.state, take, takeAnswer, load, loadWhole, loadRunning, loadMore, choose }
})

/** Drops the fields of a detail that the list does not need. */
export function summaryOf(task: TaskSummary | TaskDetail): TaskSummary {
  if (!('command' in task)) return task
  const { command: _c, env: _e, wait_reasons: _w, attempts: _a, progress, diagnosis, usage: _u, ...rest } = task
  return { ...rest, progress: progress?.percent ?? null, cause: diagnosis?.cause ?? null }
}

/** The tasks that match the filter and contain all words of the text. */
export function matching(tasks: TaskSummary[], filter: Filter, text: string): TaskSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return tasks.filter((task) => {
    if (filter !== 'all' && task.status !== filter) return false
    if (words.length === 0) return true
    const haystack = `#${task.id} ${task.name} ${task.owner} ${task.gpu_type ?? ''}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}
