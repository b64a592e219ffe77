import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'

import { commandFileApi, type CommandFile, type CommandFileEntry, type Mode, type ProcessKey } from '@/api/commandFiles'

import { Loader } from './loader'
import { throttle } from './throttle'

export const COMMAND_FILES_PAUSE_MS = 500

/** The command files of a mode, loaded only while a page shows them. The content is loaded for expanded files only. */
export const useCommandFilesStore = defineStore('commandFiles', () => {
  const mode = ref<Mode>('single')
  const isOpen = ref(false)
  const items = shallowRef<CommandFileEntry[] | null>(null)
  const configs = shallowRef<ReadonlyMap<number, CommandFile>>(new Map())
  const expanded = ref<ReadonlySet<number>>(new Set())
  let loader = new Loader()
  const state = shallowRef(loader.state)
  // The list entry at the time the file was read. It differs once another program has written the file.
  let versionRead = new Map<number, string>()

  const versionOf = ({ modified_at, running_pid, tasks, problems }: CommandFileEntry): string => JSON.stringify([modified_at, running_pid, tasks, problems])

  const read = (wanted: Mode) => async (): Promise<void> => {
    const list = await commandFileApi.list(wanted)
    if (mode.value !== wanted) return
    items.value = list
    const stale = list.filter((entry) => expanded.value.has(entry.index) && versionRead.get(entry.index) !== versionOf(entry))
    const fresh = await Promise.all(stale.map((entry) => commandFileApi.one(wanted, entry.index)))
    if (mode.value !== wanted) return
    for (const entry of stale) versionRead.set(entry.index, versionOf(entry))
    keep(fresh)
  }

  function keep(fresh: readonly CommandFile[]): void {
    const listed = new Set(items.value?.map((entry) => entry.index))
    const known = [...configs.value].filter(([index]) => listed.has(index))
    configs.value = new Map([...known, ...fresh.map((config) => [config.index, config] as const)])
  }

  const load = (): Promise<void> => (isOpen.value ? loader.run('files', read(mode.value)) : Promise.resolve())
  const reload = (): Promise<void> => (isOpen.value ? loader.runAgain('files', read(mode.value)) : Promise.resolve())
  const reloadThrottled = throttle(() => void reload(), COMMAND_FILES_PAUSE_MS)

  function open(next: Mode): Promise<void> {
    if (mode.value !== next || !isOpen.value) {
      mode.value = next
      items.value = null
      configs.value = new Map()
      expanded.value = new Set()
      versionRead = new Map()
      loader = new Loader()
      state.value = loader.state
    }
    isOpen.value = true
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  function reloadSoon(): void {
    if (isOpen.value) reloadThrottled()
  }

  /** Expands or collapses a file. */
  function setExpanded(index: number, isExpanded: boolean): Promise<void> {
    const next = new Set(expanded.value)
    if (isExpanded) next.add(index)
    else next.delete(index)
    expanded.value = next
    versionRead.delete(index)
    return isExpanded ? reload() : Promise.resolve()
  }

  /** Reads the file from disk again, even if its entry in the list is unchanged. */
  async function readFresh(index: number): Promise<CommandFile> {
    const config = await commandFileApi.one(mode.value, index)
    if (config.mode === mode.value) keep([config])
    return config
  }

  async function save(index: number, content: string): Promise<void> {
    const config = await commandFileApi.save(mode.value, index, content)
    if (config.mode === mode.value) keep([config])
    versionRead.delete(index)
    await reload()
  }

  async function add(): Promise<number> {
    const config = await commandFileApi.add(mode.value)
    await setExpanded(config.index, true)
    return config.index
  }

  async function remove(index: number): Promise<void> {
    await commandFileApi.remove(mode.value, index)
    await setExpanded(index, false)
    await reload()
  }

  async function bind(key: ProcessKey, path: string): Promise<void> {
    await commandFileApi.bind(key, path)
    versionRead.delete(key.config_index)
    await reload()
  }

  return { mode, items, configs, expanded, state, open, close, load, reload, reloadSoon, setExpanded, readFresh, save, add, remove, bind }
})
