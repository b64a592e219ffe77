import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import type { TaskFix } from '@/api/findings'
import { taskApi, type TaskChange, type TaskCreate, type TaskDetail, type TaskResolve, type TaskSummary } from '@/api/tasks'

import { Loader } from './loader'
import { useTaskAnswers, type IsOutdated } from './taskAnswers'
import { summaryOf, useTasksStore } from './tasks'

const EVENT_PAUSE_MS = 300

/** The task whose page is open, and the actions on tasks. */
export const useOpenTaskStore = defineStore('openTask', () => {
  const answers = useTaskAnswers()
  const tasks = useTasksStore()
  const id = ref<number | null>(null)
  const item = shallowRef<TaskDetail | null>(null)
  let loader = new Loader()
  const state = shallowRef(loader.state)
  // The summary of the newest event, which may arrive before the first answer.
  let latest: TaskSummary | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Shows nothing of the previous task while another one is loaded. */
  function open(next: number): Promise<void> {
    if (id.value !== next) {
      id.value = next
      item.value = null
      latest = null
      loader = new Loader()
      state.value = loader.state
    }
    return load()
  }

  function close(): void {
    id.value = null
    item.value = null
    latest = null
  }

  const read = (wanted: number) => async (): Promise<void> => void (await answers.request(() => taskApi.one(wanted), take))

  const load = (): Promise<void> => (id.value === null ? Promise.resolve() : loader.run('task', read(id.value)))

  /** After an event: the answer of a running load may be older than the event. */
  const reload = (): Promise<void> => (id.value === null ? Promise.resolve() : loader.runAgain('task', read(id.value)))

  // A task that starts and ends at once sends several events.
  function reloadSoon(): void {
    clearTimeout(timer)
    timer = setTimeout(() => void reload(), EVENT_PAUSE_MS)
  }

  function take(detail: TaskDetail, isOutdated: IsOutdated): void {
    tasks.takeAnswer(detail, isOutdated)
    if (detail.id !== id.value) return
    item.value = latest !== null && isOutdated(detail.id) ? withSummary(detail, latest) : detail
  }

  /** The answer to a change is as new as an event. */
  function takeChanged(detail: TaskDetail, isOutdated: IsOutdated): void {
    take(detail, isOutdated)
    if (isOutdated(detail.id)) return
    if (detail.id === id.value) latest = summaryOf(detail)
    answers.markChanged(detail.id)
  }

  /** Shows the state that an event carries until the detail is loaded again. */
  function takeSummary(task: TaskSummary): void {
    if (task.id !== id.value) return
    latest = task
    if (item.value !== null) item.value = withSummary(item.value, task)
  }

  const create = (task: TaskCreate, idempotencyKey: string): Promise<TaskDetail> => answers.request(() => taskApi.create(task, idempotencyKey), takeChanged)

  const clone = (source: number, fix: TaskFix | null): Promise<TaskDetail> => answers.request(() => taskApi.clone(source, fix), takeChanged)

  async function cancel(target: number): Promise<void> {
    await answers.request(() => taskApi.cancel(target), takeChanged)
  }

  async function remove(target: number): Promise<void> {
    await taskApi.remove(target)
    await tasks.loadWhole()
  }

  async function resolve(target: number, decision: TaskResolve): Promise<void> {
    await answers.request(() => taskApi.resolve(target, decision), takeChanged)
  }

  async function change(target: number, changes: TaskChange): Promise<void> {
    await answers.request(() => taskApi.change(target, changes), takeChanged)
  }

  // The answers to these two do not contain the task.
  async function queueDraft(target: number): Promise<void> {
    await taskApi.queueDraft(target)
    await reload()
  }

  async function startDraft(target: number, isForced: boolean): Promise<void> {
    await taskApi.startDraft(target, isForced)
    await reload()
  }

  return { id, item, state: computed(() => state.value), open, close, load, reloadSoon, takeSummary, create, clone, cancel, resolve, remove, change, queueDraft, startDraft }
})

function withSummary(detail: TaskDetail, task: TaskSummary): TaskDetail {
  // A summary has only the percentage; the detail's progress stays until the detail is loaded again.
  return { ...detail, ...task, progress: task.status === 'running' ? (detail.progress ?? null) : null, wait_reasons: task.status === 'queued' ? detail.wait_reasons : [] }
}
