import { computed, ref, shallowRef } from 'vue'

import { berth } from '@/api/berth'
import { MODES } from '@/api/commands'
import { CallFailed } from '@/api/request'
import { isLive, runs, type RunState } from '@/api/runs'
import type { Reason } from '@/api/wire'
import { nextOf } from '@/words/progress'

import { Loading } from './loading'
import { soon } from './soon'

/** Numbers follow within two seconds; a busy run sends many events. */
export const RUNS_PAUSE_MS = 500

/** Every run that lives, and the last ended one of each file, while somebody looks at them. */
export function runsPart(now: () => number) {
  const live = shallowRef<RunState[] | null>(null)
  const past = shallowRef<RunState[]>([])
  /** Why a run waits, by its number, in a form that can be said in any language. */
  const reasons = shallowRef<ReadonlyMap<number, readonly Reason[]>>(new Map())
  const isOpen = ref(false)
  const loading = new Loading(now)

  const readPast = async (): Promise<void> => void (past.value = (await Promise.all(MODES.map(runs.of))).flat())

  /** What has ended is asked for only when a run has come or gone. */
  async function read(): Promise<void> {
    const answer = await runs.live()
    const numbers = (list: readonly RunState[]): string => list.map((run) => run.pid).join()
    if (live.value === null || numbers(live.value) !== numbers(answer)) await readPast()
    reasons.value = new Map(await Promise.all(answer.filter((run) => run.reason !== null).map(async (run) => [run.pid, await why(run)] as const)))
    live.value = answer
  }

  /** A run tells it in plain words only; the task that it waits with tells it by codes. */
  async function why(run: RunState): Promise<readonly Reason[]> {
    const next = nextOf(run)
    try {
      return next === null ? [] : (await berth.task(next)).wait_reasons
    } catch (trouble) {
      if (!(trouble instanceof CallFailed)) throw trouble
      return []
    }
  }

  const ended = computed(() => {
    const living = new Set(live.value?.map((run) => run.pid))
    return past.value.filter((run) => !isLive(run) && !living.has(run.pid)).sort((a, b) => b.pid - a.pid)
  })

  const load = (): Promise<void> => (isOpen.value ? loading.run('runs', read) : Promise.resolve())
  const loadAnew = (): Promise<void> => (isOpen.value ? loading.runAnew('runs', read) : Promise.resolve())
  const loadSoon = soon(() => void loadAnew(), RUNS_PAUSE_MS)

  function open(): Promise<void> {
    isOpen.value = true
    live.value = null
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  function stir(): void {
    if (isOpen.value) loadSoon()
  }

  /** The answer tells at once what the next reading will. */
  async function stop(pid: number, keepsRunning: boolean): Promise<RunState> {
    const state = await runs.stop(pid, keepsRunning)
    if (live.value !== null) live.value = live.value.map((run) => (run.pid === pid ? state : run))
    await loadAnew()
    return state
  }

  return { live, ended, reasons, state: loading.state, open, close, load, stir, stop }
}
