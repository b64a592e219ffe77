import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

import type { QueueState } from '@/api/events'
import { queueApi, type Queue, type Scheduler } from '@/api/queue'

import { Loader } from './loader'
import { throttle } from './throttle'

/** How many tasks of each queue are listed. */
export const LISTED_TASKS = 100
export const QUEUE_PAUSE_MS = 1_000

/** The queues and the scheduler. The lists are loaded only while a page shows them; the counts are always live. */
export const useQueueStore = defineStore('queue', () => {
  /** From the event stream. */
  const counts = ref<QueueState | null>(null)
  const item = shallowRef<Queue | null>(null)
  const scheduler = shallowRef<Scheduler | null>(null)
  /** When `item` was read, by the browser's clock: the displayed waits grow from there. */
  const readAt = ref(0)
  const isOpen = ref(false)
  const loader = new Loader()

  async function read(): Promise<void> {
    const [queue, state] = await Promise.all([queueApi.queue(LISTED_TASKS), queueApi.scheduler()])
    item.value = queue
    scheduler.value = state
    readAt.value = Date.now()
  }

  const load = (): Promise<void> => (isOpen.value ? loader.run('queue', read) : Promise.resolve())
  const reload = (): Promise<void> => (isOpen.value ? loader.runAgain('queue', read) : Promise.resolve())
  const reloadThrottled = throttle(() => void reload(), QUEUE_PAUSE_MS)

  function open(): Promise<void> {
    isOpen.value = true
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  /** Called when a task has changed. */
  function reloadSoon(): void {
    if (isOpen.value) reloadThrottled()
  }

  async function switchScheduler(isOn: boolean): Promise<Scheduler> {
    const state = await queueApi.switchScheduler(isOn)
    scheduler.value = state
    await reload()
    return state
  }

  return { counts, item, scheduler, readAt, state: loader.state, open, close, load, reloadSoon, switchScheduler }
})
