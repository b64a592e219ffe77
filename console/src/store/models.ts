import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { modelApi, type Model, type ModelSave } from '@/api/models'

import { Loader } from './loader'
import { throttle } from './throttle'

/** Each task of a model sends several events. */
export const MODELS_PAUSE_MS = 500

/** The models and their workers. They are loaded only while a page shows them. */
export const useModelsStore = defineStore('models', () => {
  const items = shallowRef<Model[] | null>(null)
  const isOpen = ref(false)
  const loader = new Loader()

  const workers = computed(() => (items.value ?? []).flatMap((model) => model.workers))

  const read = async (): Promise<void> => void (items.value = await modelApi.all())
  const load = (): Promise<void> => (isOpen.value ? loader.run('models', read) : Promise.resolve())
  const reload = (): Promise<void> => (isOpen.value ? loader.runAgain('models', read) : Promise.resolve())
  const reloadThrottled = throttle(() => void reload(), MODELS_PAUSE_MS)

  function open(): Promise<void> {
    isOpen.value = true
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  function reloadSoon(): void {
    if (isOpen.value) reloadThrottled()
  }

  /** Shows the answer without waiting for the next load. */
  function take(model: Model): void {
    const others = (items.value ?? []).filter((one) => one.name !== model.name)
    items.value = [...others, model].sort((a, b) => (a.name < b.name ? -1 : 1))
    reloadSoon()
  }

  const save = async (name: string, model: ModelSave): Promise<void> => take(await modelApi.save(name, model))
  const loadOn = async (name: string, gpu: number | null): Promise<void> => take(await modelApi.load(name, gpu))
  const unload = async (name: string, gpu: number | null): Promise<void> => take(await modelApi.unload(name, gpu))

  async function remove(name: string): Promise<void> {
    await modelApi.remove(name)
    items.value = (items.value ?? []).filter((one) => one.name !== name)
    await reload()
  }

  return { items, workers, state: loader.state, open, close, load, reloadSoon, save, loadOn, unload, remove }
})
