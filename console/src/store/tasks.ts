import { defineStore } from 'pinia'
import { computed, ref, shallowRef, triggerRef } from 'vue'

import { CallAborted, type Answer } from '@/api/request'
import { taskApi, type TaskDetail, type TaskStatus, type TaskSummary } from '@/api/tasks'

import { Loader } from './loader'
import { useTaskAnswers, type IsOutdated } from './taskAnswers'
import { comparing, DEFAULT_QUERY, keyOf, matching, parametersOf, type TaskQuery } from './taskQuery'

export const FIRST_PAGE = 200
export const NEXT_PAGE = 1000
/** How many tasks are kept in addition to the loaded pages. */
export const MAX_EXTRA_TASKS = 1000
const MAX_PENDING_EVENTS = 500

interface Pages {
  isComplete: boolean
  total: number | null
  /** How many tasks the loaded pages had. */
  loaded: number
}

/** The tasks of one query in its order: the pages that were loaded, kept up to date by events. */
export const useTasksStore = defineStore('tasks', () => {
  const answers = useTaskAnswers()
  const query = ref<TaskQuery>(DEFAULT_QUERY)
  const items = shallowRef<TaskSummary[]>([])
  const page = ref<Pages>()
  const loader = new Loader()
  const progressLoader = new Loader()
  const pendingEvents = new Map<number, TaskSummary>()
  /** Ends the requests of the present query. */
  let queryEnd = new AbortController()

  const isKnown = computed(() => page.value !== undefined)

  /** Takes the task of an event. A burst of events changes the list once, with the next animation frame. */
  function take(task: TaskSummary): void {
    if (pendingEvents.size === 0) requestAnimationFrame(takeEvents)
    pendingEvents.set(task.id, summaryOf(task))
    // A hidden page gets no animation frames.
    if (pendingEvents.size >= MAX_PENDING_EVENTS) takeEvents()
  }

  function takeEvents(): void {
    if (pendingEvents.size === 0) return
    put([...pendingEvents.values()])
    pendingEvents.clear()
  }

  /** Takes the task of an answer, unless an event is newer. */
  function takeAnswer(task: TaskDetail, isOutdated: IsOutdated): void {
    takeEvents()
    if (!isOutdated(task.id)) put([summaryOf(task)])
  }

  /** Changes, adds or drops these tasks, depending on whether they match now. */
  function put(tasks: TaskSummary[]): void {
    const changed = new Map(tasks.map((task) => [task.id, task]))
    const before = items.value.length
    const kept = items.value.filter((task) => !changed.has(task.id))
    const added = tasks.filter((task) => matching(task, query.value) && isWithin(task))
    items.value = [...kept, ...added].sort(comparing(query.value.sort))
    if (page.value?.total != null) page.value.total += items.value.length - before
    trim()
  }

  /** A task beyond the loaded pages comes with its page. */
  function isWithin(task: TaskSummary): boolean {
    const last = items.value.at(-1)
    return last === undefined || (page.value?.isComplete ?? true) || comparing(query.value.sort)(task, last) <= 0
  }

  /** A page may stay open for weeks: tasks that events add push out the last ones, which can be loaded again. */
  function trim(): void {
    const most = (page.value?.loaded ?? 0) + MAX_EXTRA_TASKS
    if (items.value.length <= most) return
    items.value = items.value.slice(0, most)
    if (page.value !== undefined) page.value.isComplete = false
  }

  /** Loads one page. Returns false at the end of the list; is aborted if another query was chosen meanwhile. */
  async function read(wanted: TaskQuery, limit: number, after: TaskSummary | null): Promise<boolean> {
    if (keyOf(wanted) !== keyOf(query.value)) throw new CallAborted(keyOf(wanted))
    let isMore = false
    await answers.request(
      () => taskApi.page({ limit, after: after?.id ?? null, parameters: parametersOf(wanted) }, queryEnd.signal),
      (answer, isOutdated) => {
        if (keyOf(wanted) !== keyOf(query.value)) return
        takeEvents()
        // A page is short where tasks left the query while it was read; more can follow.
        isMore = answer.hasNext === true || answer.body.length === limit
        merge(answer, after, isMore, isOutdated)
      },
    )
    return isMore
  }

  /** Replaces the part of the list that the answer covers. Tasks of newer events keep their state. */
  function merge({ body, total }: Answer<TaskSummary[]>, after: TaskSummary | null, isMore: boolean, isOutdated: IsOutdated): void {
    const compare = comparing(query.value.sort)
    const last = body.at(-1)
    const isCovered = (task: TaskSummary): boolean => (after === null || compare(task, after) > 0) && (!isMore || last === undefined || compare(task, last) <= 0)
    const known = new Map(items.value.map((task) => [task.id, task]))
    const fresh = body.filter((task) => !isOutdated(task.id))
    const ids = new Set(fresh.map((task) => task.id))
    const kept = items.value.filter((task) => !ids.has(task.id) && (isOutdated(task.id) || !isCovered(task)))
    const added = fresh.filter((task) => !known.has(task.id)).length
    items.value = [...kept, ...fresh].sort(compare)
    const before = page.value
    const isDeeper = before !== undefined && isMore && items.value.at(-1)?.id !== last?.id
    page.value = {
      isComplete: isDeeper ? before.isComplete : !isMore,
      total: after === null || before === undefined ? total : before.total,
      loaded: Math.max(after === null ? body.length : (before?.loaded ?? 0) + added, isDeeper ? before.loaded : 0),
    }
    trim()
  }

  /** No event carries the progress of running tasks, nor a change of expected times. */
  async function loadUnfinished(): Promise<void> {
    if (items.value.some((task) => task.status === 'running')) await loadOf('running')
    if (items.value.some((task) => task.status === 'queued' && task.eta !== undefined)) await loadOf('queued')
  }

  function loadOf(status: TaskStatus): Promise<void> {
    const take = (answer: Answer<TaskSummary[]>, isOutdated: IsOutdated): void => {
      const now = new Map(answer.body.filter((task) => !isOutdated(task.id)).map((task) => [task.id, task]))
      items.value = items.value.map((task) => now.get(task.id) ?? task)
      triggerRef(items)
    }
    return progressLoader.run(status, async () => void (await answers.request(() => taskApi.page({ limit: FIRST_PAGE, after: null, parameters: { status } }), take)))
  }

  const load = (): Promise<void> => loader.run(...firstPage())

  function firstPage(): [key: string, work: () => Promise<void>] {
    const wanted = query.value
    return [`first ${keyOf(wanted)}`, async () => void (await read(wanted, FIRST_PAGE, null))]
  }

  /** Loads all pages that were loaded before: older tasks may have changed while there was no stream. */
  function loadWhole(): Promise<void> {
    const wanted = query.value
    return loader.run(`whole ${keyOf(wanted)}`, async () => {
      const goal = page.value?.loaded ?? 0
      let isMore = await read(wanted, FIRST_PAGE, null)
      for (let done = FIRST_PAGE; isMore && done < goal; done += NEXT_PAGE) {
        isMore = await read(wanted, Math.min(NEXT_PAGE, goal - done), items.value[done - 1] ?? null)
      }
    })
  }

  function loadMore(): Promise<void> {
    const wanted = query.value
    if (page.value?.isComplete ?? true) return Promise.resolve()
    return loader.run(`more ${keyOf(wanted)}`, async () => {
      const last = items.value.at(-1)
      if (last !== undefined) await read(wanted, NEXT_PAGE, last)
    })
  }

  /** Shows another query. Until it is loaded, those of the present tasks that match stay visible. */
  function choose(next: TaskQuery): void {
    const isSame = keyOf(next) === keyOf(query.value)
    query.value = next
    if (isSame) return
    page.value = undefined
    items.value = items.value.filter((task) => matching(task, next)).sort(comparing(next.sort))
    queryEnd.abort()
    queryEnd = new AbortController()
    // Not joined to a load that runs: it may be an aborted one of the same query.
    void loader.runAgain(...firstPage())
  }

  return { query, items, isKnown, page, state: loader.state, take, takeAnswer, load, loadWhole, loadUnfinished, loadMore, choose }
})

/** Drops the fields of a detail that the list does not need. */
export function summaryOf(task: TaskSummary | TaskDetail): TaskSummary {
  if (!('command' in task)) return task
  const { command: _c, env: _e, wait_reasons: _w, attempts: _a, progress, diagnosis, usage: _u, ...rest } = task
  return { ...rest, progress: progress?.percent ?? null, cause: diagnosis?.cause ?? null }
}
