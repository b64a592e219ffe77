import { computed, reactive, ref, shallowRef, triggerRef } from 'vue'

import { berth } from '@/api/berth'
import type { Answer } from '@/api/request'
import { isFinal, type TaskDetail, type TaskStatus, type TaskSummary } from '@/api/wire'

import { Loading } from './loading'
import type { News } from './news'

export const FIRST_PAGE = 200
export const NEXT_PAGE = 1000
/** So many finished tasks are kept beside those that were loaded. */
export const MOST_BESIDE = 1000
const MOST_EVENTS = 500
export type Filter = TaskStatus | 'all'

interface Pages {
  /** Everything from this id on is loaded. */
  down: number
  isComplete: boolean
  total: number | null
  /** How many there were when it was last read further down. */
  loaded: number
}

type Outdated = (id: number) => boolean

/** The tasks that were loaded so far, newest first, and how far down each filter has been read. */
export function tasksPart(now: () => number, news: News) {
  const byId = shallowRef(new Map<number, TaskSummary>())
  const order = shallowRef<number[]>([])
  const pages = reactive(new Map<Filter, Pages>())
  const filter = ref<Filter>('all')
  const loading = new Loading(now)
  const progressing = new Loading(now)
  const events = new Map<number, TaskSummary>()
  let sizeToTrimAt = MOST_BESIDE

  const newestFirst = computed(() => order.value.map((id) => byId.value.get(id)!))
  const isKnown = computed(() => pages.get('all') !== undefined)
  const page = computed(() => pages.get(filter.value))

  /** An event. A burst of them is shown at once, with the next picture the browser draws. */
  function take(task: TaskSummary): void {
    if (events.size === 0) requestAnimationFrame(takeEvents)
    events.set(task.id, summaryOf(task))
    // A hidden page draws none.
    if (events.size >= MOST_EVENTS) takeEvents()
  }

  function takeEvents(): void {
    if (events.size === 0) return
    const all = pages.get('all')
    if (all?.total != null) {
      for (const id of events.keys()) if (id > all.down && !byId.value.has(id)) all.total++
    }
    put([...events.values()])
    events.clear()
  }

  /** An answer; what was heard while it was on its way is newer. */
  function takeAnswer(task: TaskDetail, isOutdated: Outdated): void {
    takeEvents()
    if (!isOutdated(task.id)) put([summaryOf(task)])
  }

  function put(tasks: TaskSummary[]): void {
    const added = tasks.filter((task) => !byId.value.has(task.id)).map((task) => task.id)
    for (const task of tasks) byId.value.set(task.id, task)
    if (added.length > 0) order.value = [...added, ...order.value].sort((a, b) => b - a)
    triggerRef(byId)
    if (byId.value.size > sizeToTrimAt) trim()
  }

  function drop(isDropped: (task: TaskSummary) => boolean): void {
    for (const task of newestFirst.value) if (isDropped(task)) byId.value.delete(task.id)
    order.value = order.value.filter((id) => byId.value.has(id))
    triggerRef(byId)
  }

  /** A page may stay open for weeks: of finished tasks it keeps those that were loaded, and some beside them. */
  function trim(): void {
    for (const which of [...pages.keys()]) {
      if (shownFilters().includes(which)) shorten(which)
      else pages.delete(which)
    }
    let beside = 0
    drop((task) => isFinal(task.status) && !isLoaded(task) && ++beside > MOST_BESIDE)
    sizeToTrimAt = byId.value.size + MOST_BESIDE
  }

  // What events have added above pushes out what is far below; that can be loaded again.
  function shorten(which: Filter): void {
    const known = pages.get(which)!
    const within = inside(which, known.down)
    const last = within[known.loaded + MOST_BESIDE - 1]
    if (last === undefined || within.length === known.loaded + MOST_BESIDE) return
    pages.set(which, { ...known, down: last.id, isComplete: false, total: Math.max(known.total ?? 0, within.length) })
  }

  const inside = (which: Filter, down: number): TaskSummary[] => newestFirst.value.filter((task) => task.id >= down && (which === 'all' || task.status === which))

  const isLoaded = (task: TaskSummary): boolean =>
    shownFilters().some((which) => (which === 'all' || task.status === which) && task.id >= (pages.get(which)?.down ?? Infinity))

  /** One page; returns where to read on, or null at the end. */
  async function read(which: Filter, limit: number, before: number | null): Promise<number | null> {
    const status = which === 'all' ? null : which
    const { body } = await news.ask(
      () => berth.tasks({ limit, before, status }),
      (answer, isOutdated) => {
        const isComplete = answer.body.length < limit
        takeEvents()
        // First how far down it goes: what is outside may be dropped.
        reached(which, before, answer, isComplete)
        put(answer.body.filter((task) => !isOutdated(task.id)))
        if (which === 'all' && before === null && isComplete) forgetVanished(answer.body, isOutdated)
      },
    )
    return body.length < limit ? null : body.at(-1)!.id
  }

  function reached(which: Filter, before: number | null, { body, total }: Answer<TaskSummary[]>, isComplete: boolean): void {
    const known = pages.get(which)
    const down = body.at(-1)?.id ?? before ?? 0
    const newTotal = before === null || known === undefined ? total : known.total
    if (known !== undefined && down > known.down) {
      known.total = newTotal
    } else {
      const further = body.filter((task) => known === undefined || task.id < known.down).length
      pages.set(which, { down, isComplete, total: newTotal, loaded: (known?.loaded ?? 0) + further })
    }
  }

  // A list that came whole names every task there is: the home may have been a new one.
  function forgetVanished(body: TaskSummary[], isOutdated: Outdated): void {
    const there = new Set(body.map((task) => task.id))
    drop((task) => !there.has(task.id) && !isOutdated(task.id))
  }

  /** How far running tasks are is told by no event. */
  function loadRunning(): Promise<void> {
    if (!newestFirst.value.some((task) => task.status === 'running')) return Promise.resolve()
    return progressing.run('running', async () => void (await read('running', FIRST_PAGE, null)))
  }

  const shownFilters = (): Filter[] => (filter.value === 'all' ? ['all'] : ['all', filter.value])

  function load(): Promise<void> {
    const filters = shownFilters()
    return loading.run(`first ${filters.join()}`, async () => {
      for (const which of filters) await read(which, FIRST_PAGE, null)
    })
  }

  /** As far down as was loaded before: after a break older tasks may have changed too. */
  function loadWhole(): Promise<void> {
    const filters = shownFilters()
    return loading.run(`whole ${filters.join()}`, async () => {
      for (const which of filters) {
        const goal = pages.get(which)?.down ?? Infinity
        let next = await read(which, FIRST_PAGE, null)
        while (next !== null && next > goal) next = await read(which, Math.min(NEXT_PAGE, next - goal), next)
      }
    })
  }

  function more(): Promise<void> {
    const which = filter.value
    if (pages.get(which)?.isComplete ?? true) return Promise.resolve()
    return loading.run(`more ${which}`, async () => {
      const known = pages.get(which)
      if (known !== undefined) await read(which, NEXT_PAGE, known.down)
    })
  }

  function choose(next: Filter): void {
    filter.value = next
    if (pages.get(next) === undefined) void loading.run(`first ${next}`, async () => void (await read(next, FIRST_PAGE, null)))
  }

  return { byId, newestFirst, isKnown, page, filter, state: loading.state, take, takeAnswer, load, loadWhole, loadRunning, more, choose }
}

/** A detail has more than a line of the list should keep. */
export function summaryOf(task: TaskSummary | TaskDetail): TaskSummary {
  if (!('command' in task)) return task
  const { command: _c, env: _e, wait_reasons: _w, attempts: _a, progress, diagnosis, usage: _u, ...rest } = task
  return { ...rest, progress: progress?.percent ?? null, cause: rest.cause ?? diagnosis?.cause ?? null }
}

/** What the list shows of the tasks it has. */
export function matching(tasks: TaskSummary[], filter: Filter, text: string): TaskSummary[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return tasks.filter((task) => {
    if (filter !== 'all' && task.status !== filter) return false
    if (words.length === 0) return true
    const haystack = `#${task.id} ${task.name} ${task.owner} ${task.gpu_type ?? ''}`.toLowerCase()
    return words.every((word) => haystack.includes(word))
  })
}
