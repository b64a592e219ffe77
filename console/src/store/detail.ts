import { computed, ref, shallowRef } from 'vue'

import { berth } from '@/api/berth'
import type { TaskDetail, TaskSummary } from '@/api/wire'

import { Loading } from './loading'

/** The task that is open. */
export function detailPart(now: () => number, seen: (task: TaskDetail) => void) {
  const id = ref<number | null>(null)
  const item = shallowRef<TaskDetail | null>(null)
  let loading = new Loading(now)
  const state = shallowRef(loading.state)

  /** Another task begins with nothing of the former. */
  function open(next: number): Promise<void> {
    if (id.value !== next) {
      id.value = next
      item.value = null
      loading = new Loading(now)
      state.value = loading.state
    }
    return load()
  }

  function close(): void {
    id.value = null
    item.value = null
  }

  function load(): Promise<void> {
    const wanted = id.value
    if (wanted === null) return Promise.resolve()
    return loading.run(async () => take(await berth.task(wanted)))
  }

  function take(detail: TaskDetail): void {
    seen(detail)
    if (detail.id === id.value) item.value = detail
  }

  /** An event knows the newest state before the detail is loaded again. */
  function takeSummary(task: TaskSummary): void {
    if (item.value?.id !== task.id) return
    const reasons = task.status === 'queued' ? item.value.wait_reasons : []
    item.value = { ...item.value, ...task, wait_reasons: reasons }
  }

  return { id, item, state: computed(() => state.value), open, close, load, take, takeSummary }
}
