import { computed, ref, shallowRef } from 'vue'

import { berth } from '@/api/berth'
import type { TaskDetail, TaskSummary } from '@/api/wire'

import { Loading } from './loading'
import type { News } from './news'
import { summaryOf } from './tasks'

type Outdated = (id: number) => boolean

/** The task that is open. */
export function detailPart(now: () => number, news: News, seen: (task: TaskDetail, isOutdated: Outdated) => void) {
  const id = ref<number | null>(null)
  const item = shallowRef<TaskDetail | null>(null)
  let loading = new Loading(now)
  const state = shallowRef(loading.state)
  // What the last event said, which may have come before the first answer.
  let latest: TaskSummary | null = null

  /** Another task begins with nothing of the former. */
  function open(next: number): Promise<void> {
    if (id.value !== next) {
      id.value = next
      item.value = null
      latest = null
      loading = new Loading(now)
      state.value = loading.state
    }
    return load()
  }

  function close(): void {
    id.value = null
    item.value = null
    latest = null
  }

  const ask = (wanted: number) => async (): Promise<void> => void (await news.ask(() => berth.task(wanted), take))

  const load = (): Promise<void> => (id.value === null ? Promise.resolve() : loading.run('task', ask(id.value)))

  /** After an event: a load that is on its way was asked for before it. */
  const loadAnew = (): Promise<void> => (id.value === null ? Promise.resolve() : loading.runAnew('task', ask(id.value)))

  function take(detail: TaskDetail, isOutdated: Outdated): void {
    seen(detail, isOutdated)
    if (detail.id !== id.value) return
    item.value = latest !== null && isOutdated(detail.id) ? renewed(detail, latest) : detail
  }

  /** The answer to a change is news as much as an event is. */
  function takeChanged(detail: TaskDetail, isOutdated: Outdated): void {
    take(detail, isOutdated)
    if (isOutdated(detail.id)) return
    if (detail.id === id.value) latest = summaryOf(detail)
    news.came(detail.id)
  }

  /** An event knows the newest state before the detail is loaded again. */
  function takeSummary(task: TaskSummary): void {
    if (task.id !== id.value) return
    latest = task
    if (item.value !== null) item.value = renewed(item.value, task)
  }

  return { id, item, state: computed(() => state.value), open, close, load, loadAnew, takeChanged, takeSummary }
}

function renewed(detail: TaskDetail, task: TaskSummary): TaskDetail {
  // A line of the list tells only how much is done; what is behind it stays until the detail is loaded again.
  return { ...detail, ...task, progress: task.status === 'running' ? (detail.progress ?? null) : null, wait_reasons: task.status === 'queued' ? detail.wait_reasons : [] }
}
