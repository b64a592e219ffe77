import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { placementOf, type Placement } from '@/api/placement'

import { Loader } from './loader'
import { throttle } from './throttle'

export const PLACEMENT_PAUSE_MS = 1_500

/** Where the open task would start now. */
export const usePlacementStore = defineStore('placement', () => {
  const id = ref<number | null>(null)
  const item = shallowRef<Placement | null>(null)
  let loader = new Loader()
  const state = shallowRef(loader.state)

  const read = (wanted: number) => async (): Promise<void> => {
    const answer = await placementOf(wanted)
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

  const load = (): Promise<void> => (id.value === null ? Promise.resolve() : loader.run('placement', read(id.value)))

  const reloadThrottled = throttle(() => {
    if (id.value !== null) void loader.runAgain('placement', read(id.value))
  }, PLACEMENT_PAUSE_MS)

  /** Called when a GPU or a task has changed. */
  function reloadSoon(): void {
    if (id.value !== null) reloadThrottled()
  }

  return { item, state: computed(() => state.value), open, close, load, reloadSoon }
})
