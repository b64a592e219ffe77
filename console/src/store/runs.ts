import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { MODES } from '@/api/commandFiles'
import type { Reason } from '@/api/problems'
import { CallFailed } from '@/api/request'
import { isLive, runApi, type RunState } from '@/api/runs'
import { taskApi } from '@/api/tasks'
import { nextTaskOf } from '@/format/runProgress'

import { Loader } from './loader'
import { throttle } from './throttle'

/** The page must be up to date within two seconds, and a busy run sends many events. */
export const RUNS_PAUSE_MS = 500

/** All live runs, and the last ended run of each file. They are loaded only while a page shows them. */
export const useRunsStore = defineStore('runs', () => {
  const live = shallowRef<RunState[] | null>(null)
  const past = shallowRef<RunState[]>([])
  /** Why a run waits, by its number, as codes that can be translated. */
  const reasons = shallowRef<ReadonlyMap<number, readonly Reason[]>>(new Map())
  const isOpen = ref(false)
  const loader = new Loader()

  const readPast = async (): Promise<void> => void (past.value = (await Promise.all(MODES.map(runApi.ofMode))).flat())

  /** Loads ended runs only when a run has started or ended. */
  async function read(): Promise<void> {
    const answer = await runApi.live()
    const numbers = (list: readonly RunState[]): string => list.map((run) => run.pid).join()
    if (live.value === null || numbers(live.value) !== numbers(answer)) await readPast()
    reasons.value = new Map(await Promise.all(answer.filter((run) => run.reason !== null).map(async (run) => [run.pid, await reasonsOf(run)] as const)))
    live.value = answer
  }

  /** A run has its reason as text only; its next task has it as codes. */
  async function reasonsOf(run: RunState): Promise<readonly Reason[]> {
    const next = nextTaskOf(run)
    try {
      return next === null ? [] : (await taskApi.one(next)).wait_reasons
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure
      return []
    }
  }

  const ended = computed(() => {
    const livePids = new Set(live.value?.map((run) => run.pid))
    return past.value.filter((run) => !isLive(run) && !livePids.has(run.pid)).sort((a, b) => b.pid - a.pid)
  })

  const load = (): Promise<void> => (isOpen.value ? loader.run('runs', read) : Promise.resolve())
  const reload = (): Promise<void> => (isOpen.value ? loader.runAgain('runs', read) : Promise.resolve())
  const reloadThrottled = throttle(() => void reload(), RUNS_PAUSE_MS)

  function open(): Promise<void> {
    isOpen.value = true
    live.value = null
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  function reloadSoon(): void {
    if (isOpen.value) reloadThrottled()
  }

  /** Shows the answer without waiting for the next load. */
  async function stop(pid: number, keepsRunning: boolean): Promise<RunState> {
    const state = await runApi.stop(pid, keepsRunning)
    if (live.value !== null) live.value = live.value.map((run) => (run.pid === pid ? state : run))
    await reload()
    return state
  }

  return { live, ended, reasons, state: loader.state, open, close, load, reloadSoon, stop }
})
