import { ref, shallowRef } from 'vue'

import { berth } from '@/api/berth'
import type { Queue, Scheduler } from '@/api/wire'

import { Loading } from './loading'
import { soon } from './soon'

/** So many tasks of each line are listed. */
export const LISTED = 100
export const QUEUE_PAUSE_MS = 1_000

/** Everything that waits, while somebody looks at it. */
export function queuePart(now: () => number) {
  const item = shallowRef<Queue | null>(null)
  const scheduler = shallowRef<Scheduler | null>(null)
  /** When it was read: waits go on from there, by this machine's clock. */
  const readAt = ref(0)
  const isOpen = ref(false)
  const loading = new Loading(now)

  async function read(): Promise<void> {
    const [queue, state] = await Promise.all([berth.queue(LISTED), berth.scheduler()])
    item.value = queue
    scheduler.value = state
    readAt.value = now()
  }

  const load = (): Promise<void> => (isOpen.value ? loading.run('queue', read) : Promise.resolve())
  const loadAnew = (): Promise<void> => (isOpen.value ? loading.runAnew('queue', read) : Promise.resolve())
  const loadSoon = soon(() => void loadAnew(), QUEUE_PAUSE_MS)

  function open(): Promise<void> {
    isOpen.value = true
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  /** Something happened that may have moved it. */
  function stir(): void {
    if (isOpen.value) loadSoon()
  }

  async function turn(isOn: boolean): Promise<Scheduler> {
    const state = await berth.switchScheduler(isOn)
    scheduler.value = state
    await loadAnew()
    return state
  }

  return { item, scheduler, readAt, isOpen, state: loading.state, open, close, load, stir, turn }
}
