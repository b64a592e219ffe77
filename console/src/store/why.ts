import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { forecastApi, type Suggestion, type Why } from '@/api/forecast'
import type { TaskSummary } from '@/api/tasks'

import { Loader } from './loader'
import { useOpenTaskStore } from './openTask'
import { throttle } from './throttle'

export const WHY_PAUSE_MS = 2_000
const NOT_FOUND = 404

/** Why the task whose card is open waits. One card is open at a time. */
export const useWhyStore = defineStore('why', () => {
  const openTaskStore = useOpenTaskStore()
  const id = ref<number | null>(null)
  const item = shallowRef<Why | null>(null)
  /** The latest task that started after one of its suggestions was applied. */
  const started = shallowRef<TaskSummary | null>(null)
  const applied = new Set<number>()
  let loader = new Loader()
  const state = shallowRef(loader.state)

  /** The server is older than this console: it knows the task, but not why it waits. */
  const isUnsupported = computed(() => state.value.failure?.status === NOT_FOUND && state.value.failure.problem.code !== 'task.unknown')

  const read = (wanted: number) => async (): Promise<void> => {
    const answer = await forecastApi.why(wanted)
    if (id.value === wanted) item.value = answer
  }

  function open(next: number): Promise<void> {
    id.value = next
    item.value = null
    loader = new Loader()
    state.value = loader.state
    return load()
  }

  function close(): void {
    id.value = null
    item.value = null
  }

  const load = (): Promise<void> => (id.value === null || isUnsupported.value ? Promise.resolve() : loader.run('why', read(id.value)))
  const reload = (): Promise<void> => (id.value === null || isUnsupported.value ? Promise.resolve() : loader.runAgain('why', read(id.value)))
  const reloadThrottled = throttle(() => void reload(), WHY_PAUSE_MS)

  /** Called when a task or the queue has changed. */
  function reloadSoon(): void {
    if (id.value !== null) reloadThrottled()
  }

  async function apply(target: number, suggestion: Suggestion): Promise<void> {
    // The task may start before the answer arrives.
    applied.add(target)
    try {
      await openTaskStore.change(target, suggestion.change)
    } catch (failure) {
      applied.delete(target)
      throw failure
    } finally {
      void reload()
    }
  }

  /** Called with the task of every event. */
  function takeTask(task: TaskSummary): void {
    if (!applied.has(task.id) || task.status === 'queued' || task.status === 'pending') return
    applied.delete(task.id)
    if (task.status === 'running') started.value = task
  }

  return { item, started, isUnsupported, state: computed(() => state.value), open, close, load, reloadSoon, apply, takeTask }
})
