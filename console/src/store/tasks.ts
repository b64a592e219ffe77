import { computed, reactive, ref, shallowRef, triggerRef } from 'vue'

import { berth } from '@/api/berth'
import type { TaskDetail, TaskStatus, TaskSummary } from '@/api/wire'

import { Loading } from './loading'

export const FIRST_PAGE = 200
export const NEXT_PAGE = 1000
export type Filter = TaskStatus | 'all'

interface Pages {
  /** Everything from this id on is loaded; null before the first page. */
  down: number | null
  isComplete: boolean
  total: number | null
}

/** The tasks that were loaded so far, newest first, and how far down each filter has been read. */
export function tasksPart(now: () => number) {
  const byId = shallowRef(new Map<number, TaskSummary>())
  const pages = reactive(new Map<Filter, Pages>())
  const filter = ref<Filter>('all')
  const loading = new Loading(now)
  // An answer that was on its way when an event came is older than the event.
  const touched = new Map<number, number>()
  let tick = 0

  const newestFirst = computed(() => [...byId.value.values()].sort((a, b) => b.id - a.id))
  const isKnown = computed(() => pages.get('all') !== undefined)
  const page = computed(() => pages.get(filter.value))

  function take(task: TaskSummary): void {
    touched.set(task.id, ++tick)
    const isNew = !byId.value.has(task.id)
    byId.value.set(task.id, summary(task))
    triggerRef(byId)
    const all = pages.get('all')
    if (isNew && all?.total != null && task.id > (all.down ?? 0)) all.total++
  }

  function takePage(items: TaskSummary[], since: number): void {
    for (const task of items) {
      if ((touched.get(task.id) ?? 0) <= since) byId.value.set(task.id, task)
    }
    triggerRef(byId)
  }

  /** One page; returns where to read on, or null at the end. */
  async function read(which: Filter, limit: number, before: number | null): Promise<number | null> {
    const since = tick
    const status = which === 'all' ? null : which
    const { body, total } = await berth.tasks({ limit, before, status })
    takePage(body, since)
    const known = pages.get(which)
    const isComplete = body.length < limit
    const down = body.at(-1)?.id ?? before ?? 0
    if (before !== null || known === undefined) {
      pages.set(which, { down, isComplete, total: before === null ? total : (known?.total ?? total) })
    } else {
      known.total = total
    }
    if (before === null) forgetVanished(which, body, isComplete)
    return isComplete ? null : down
  }

  // A list that came whole names every task there is: the home may have been a new one.
  function forgetVanished(which: Filter, body: TaskSummary[], isComplete: boolean): void {
    if (which !== 'all' || !isComplete) return
    const there = new Set(body.map((task) => task.id))
    for (const id of byId.value.keys()) {
      if (!there.has(id) && !touched.has(id)) byId.value.delete(id)
    }
    triggerRef(byId)
  }

  const shownFilters = (): Filter[] => (filter.value === 'all' ? ['all'] : ['all', filter.value])

  const load = (): Promise<void> =>
    loading.run(async () => {
      for (const which of shownFilters()) await read(which, FIRST_PAGE, null)
    })

  /** As far down as was loaded before: after a break older tasks may have changed too. */
  const loadWhole = (): Promise<void> =>
    loading.run(async () => {
      for (const which of shownFilters()) {
        const goal = pages.get(which)?.down ?? Infinity
        let next = await read(which, FIRST_PAGE, null)
        while (next !== null && next > goal) next = await read(which, NEXT_PAGE, next)
      }
    })

  const more = (): Promise<void> => {
    const known = page.value
    if (known === undefined || known.isComplete) return Promise.resolve()
    return loading.run(async () => void (await read(filter.value, NEXT_PAGE, known.down)))
  }

  function choose(next: Filter): void {
    filter.value = next
    if (pages.get(next) === undefined) void loading.run(async () => void (await read(next, FIRST_PAGE, null)))
  }

  return { byId, newestFirst, isKnown, page, filter, state: loading.state, take, load, loadWhole, more, choose }
}

/** A detail has more than a line of the list should keep. */
function summary(task: TaskSummary | TaskDetail): TaskSummary {
  if (!('command' in task)) return task
  const { command: _c, env: _e, wait_reasons: _w, attempts: _a, ...rest } = task
  return rest
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
