import { computed, ref, shallowRef } from 'vue'

import { Loader } from './loader'

/** State of a store whose data is loaded only while a page shows it, by the key that the page chose. */
export function viewedResource<K, T>(fetchByKey: (key: K) => Promise<T>) {
  const key = shallowRef<K | null>(null)
  const item = shallowRef<T | null>(null)
  /** The key of `item`. After a change of key the old item stays visible until the new one is loaded. */
  const shownKey = shallowRef<K | null>(null)
  const isOpen = ref(false)
  let loader = new Loader()
  const state = shallowRef(loader.state)

  const read = (wanted: K) => async (): Promise<void> => {
    const answer = await fetchByKey(wanted)
    if (!isOpen.value || key.value !== wanted) return
    item.value = answer
    shownKey.value = wanted
  }

  function open(next: K): Promise<void> {
    isOpen.value = true
    key.value = next
    loader = new Loader()
    state.value = loader.state
    return load()
  }

  function close(): void {
    isOpen.value = false
    key.value = null
    item.value = null
    shownKey.value = null
  }

  const load = (): Promise<void> => (isOpen.value ? loader.run('item', read(key.value as K)) : Promise.resolve())

  return { item, shownKey, state: computed(() => state.value), open, close, load }
}
