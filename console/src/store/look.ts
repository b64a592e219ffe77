import { computed, ref, shallowRef } from 'vue'

import { Loading } from './loading'

/** Something that is read while somebody looks at it, by what they chose to see. */
export function lookPart<K, T>(now: () => number, ask: (key: K) => Promise<T>) {
  const key = shallowRef<K | null>(null)
  const item = shallowRef<T | null>(null)
  /** Whose the item is; until another is there, the former stays in sight. */
  const shownKey = shallowRef<K | null>(null)
  const isOpen = ref(false)
  let loading = new Loading(now)
  const state = shallowRef(loading.state)

  const read = (wanted: K) => async (): Promise<void> => {
    const answer = await ask(wanted)
    if (!isOpen.value || key.value !== wanted) return
    item.value = answer
    shownKey.value = wanted
  }

  function open(next: K): Promise<void> {
    isOpen.value = true
    key.value = next
    loading = new Loading(now)
    state.value = loading.state
    return load()
  }

  function close(): void {
    isOpen.value = false
    key.value = null
    item.value = null
    shownKey.value = null
  }

  const load = (): Promise<void> => (isOpen.value ? loading.run('look', read(key.value as K)) : Promise.resolve())

  return { item, shownKey, state: computed(() => state.value), open, close, load }
}
