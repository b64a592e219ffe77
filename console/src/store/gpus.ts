import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { gpuApi, type Gpu } from '@/api/gpus'
import { historyApi, type History, type Point } from '@/api/history'
import { CallFailed } from '@/api/request'

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
  let pendingHistory: Map<number | null, History> | null = null

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
      const known = history.value.get(gpu.uuid) ?? withStored([], pendingHistory?.get(gpu.index)?.points ?? [])
      const kept = known.filter((sample) => sample.at > at - HISTORY_MS)
      if (gpu.utilization_percent !== null) kept.push({ at, percent: gpu.utilization_percent })
      next.set(gpu.uuid, kept.slice(-MAX_SAMPLES))
    }
    history.value = next
    pendingHistory = null
  }

  /** The stored history, so that the lines of a page that was just opened are not empty. */
  async function loadHistory(): Promise<void> {
    try {
      const stored = new Map((await historyApi.recent(HISTORY_MS / 1000)).map((one) => [one.gpu, one]))
      history.value = new Map(items.value.map((gpu) => [gpu.uuid, withStored(history.value.get(gpu.uuid) ?? [], stored.get(gpu.index)?.points ?? [])]))
      pendingHistory = items.value.length === 0 ? stored : null
    } catch (failure) {
      // The line then begins with the next reading.
      if (!(failure instanceof CallFailed)) throw failure
    }
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

  return { items, isKnown, history, faulty, state: loader.state, take, load, loadHistory, recover, quarantine }
})

/** The stored readings from before the first live one, followed by the live ones. */
function withStored(live: Sample[], points: readonly Point[]): Sample[] {
  const first = live[0]?.at ?? Infinity
  const stored = points.filter((point) => point.utilization !== null && point.t * 1000 < first).map((point) => ({ at: point.t * 1000, percent: point.utilization! }))
  return [...stored, ...live]
}
