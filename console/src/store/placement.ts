import { computed, ref, shallowRef } from 'vue'

import { berth } from '@/api/berth'
import type { Placement } from '@/api/wire'

import { Loading } from './loading'
import { soon } from './soon'

export const PLACEMENT_PAUSE_MS = 1_500

/** Where the open task would go, while that is shown. */
export function placementPart(now: () => number) {
  const id = ref<number | null>(null)
  const item = shallowRef<Placement | null>(null)
  let loading = new Loading(now)
  const state = shallowRef(loading.state)

  const ask = (wanted: number) => async (): Promise<void> => {
    const answer = await berth.placement(wanted)
    if (id.value === wanted) item.value = answer
  }

  function open(next: number): Promise<void> {
    id.value = next
    item.value = null
    loading = new Loading(now)
    state.value = loading.state
    return load()
  }

  function close(): void {
    id.value = null
    item.value = null
  }

  const load = (): Promise<void> => (id.value === null ? Promise.resolve() : loading.run('placement', ask(id.value)))

  const loadSoon = soon(() => {
    if (id.value !== null) void loading.runAnew('placement', ask(id.value))
  }, PLACEMENT_PAUSE_MS)

  /** A card or a task has changed. */
  function stir(): void {
    if (id.value !== null) loadSoon()
  }

  return { item, state: computed(() => state.value), open, close, load, stir }
}
