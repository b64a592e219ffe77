import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { gpuApi, type Gpu } from '@/api/gpus'

import { Loader } from './loader'

export interface Sample {
  at: number
  percent: number
}

const HISTORY_MS = 120_000
const MAX_SAMPLES = 150

/** The GPUs, and the utilization of each over the last two minutes. */
export const useGpusStore = defineStore('gpus', () => {
  const items = shallowRef<Gpu[]>([])
  const isKnown = ref(false)
  const history = shallowRef<ReadonlyMap<string, Sample[]>>(new Map())
  const loader = new Loader()

  /** Takes a reading of all GPUs, from an event or an answer. */
  function take(gpus: Gpu[]): void {
    items.value = gpus
    isKnown.value = true
    loader.succeeded()
    addSamples(gpus)
  }

  function addSamples(gpus: Gpu[]): void {
    const at = Date.now()
    const next = new Map<string, Sample[]>()
    for (const gpu of gpus) {
      const kept = (history.value.get(gpu.uuid) ?? []).filter((sample) => sample.at > at - HISTORY_MS)
      if (gpu.utilization_percent !== null) kept.push({ at, percent: gpu.utilization_percent })
      next.set(gpu.uuid, kept.slice(-MAX_SAMPLES))
    }
    history.value = next
  }

  /** Shows the answer to an action without waiting for the next reading. The answer may lack processes and holders. */
  function takeOne(gpu: Gpu): void {
    items.value = items.value.map((one) => (one.index === gpu.index ? { ...one, ...gpu, processes: gpu.processes ?? one.processes ?? null, holders: gpu.holders ?? one.holders ?? null } : one))
  }

  /** GPUs out of use because of a fault. One that a person took out of use does not count. */
  const faulty = computed(() => items.value.filter((gpu) => gpu.fault && gpu.fault.kind !== 'person').length)

  const load = (): Promise<void> => loader.run('gpus', async () => take(await gpuApi.all()))

  const recover = async (index: number, isForced: boolean): Promise<void> => takeOne(await gpuApi.recover(index, isForced))

  const quarantine = async (index: number, reason: string): Promise<void> => takeOne(await gpuApi.quarantine(index, reason))

  return { items, isKnown, history, faulty, state: loader.state, take, load, recover, quarantine }
})
