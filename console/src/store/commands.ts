import { ref, shallowRef } from 'vue'

import { commands, type Config, type ConfigEntry, type Mode, type ProcessKey } from '@/api/commands'

import { Loading } from './loading'
import { soon } from './soon'

export const COMMANDS_PAUSE_MS = 500

/** The command files of a mode, while somebody looks at them; whole those that are open. */
export function commandsPart(now: () => number) {
  const mode = ref<Mode>('single')
  const isOpen = ref(false)
  const items = shallowRef<ConfigEntry[] | null>(null)
  const configs = shallowRef<ReadonlyMap<number, Config>>(new Map())
  const unfolded = ref<ReadonlySet<number>>(new Set())
  let loading = new Loading(now)
  const state = shallowRef(loading.state)
  // As the list told it when a file was read: whoever writes it elsewhere changes that.
  let readAs = new Map<number, string>()

  const face = ({ modified_at, running_pid, tasks, problems }: ConfigEntry): string => JSON.stringify([modified_at, running_pid, tasks, problems])

  const read = (wanted: Mode) => async (): Promise<void> => {
    const list = await commands.list(wanted)
    if (mode.value !== wanted) return
    items.value = list
    const stale = list.filter((entry) => unfolded.value.has(entry.index) && readAs.get(entry.index) !== face(entry))
    const fresh = await Promise.all(stale.map((entry) => commands.one(wanted, entry.index)))
    if (mode.value !== wanted) return
    for (const entry of stale) readAs.set(entry.index, face(entry))
    keep(fresh)
  }

  function keep(fresh: readonly Config[]): void {
    const there = new Set(items.value?.map((entry) => entry.index))
    const known = [...configs.value].filter(([index]) => there.has(index))
    configs.value = new Map([...known, ...fresh.map((config) => [config.index, config] as const)])
  }

  const load = (): Promise<void> => (isOpen.value ? loading.run('commands', read(mode.value)) : Promise.resolve())
  const loadAnew = (): Promise<void> => (isOpen.value ? loading.runAnew('commands', read(mode.value)) : Promise.resolve())
  const loadSoon = soon(() => void loadAnew(), COMMANDS_PAUSE_MS)

  function open(next: Mode): Promise<void> {
    if (mode.value !== next || !isOpen.value) {
      mode.value = next
      items.value = null
      configs.value = new Map()
      unfolded.value = new Set()
      readAs = new Map()
      loading = new Loading(now)
      state.value = loading.state
    }
    isOpen.value = true
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  function stir(): void {
    if (isOpen.value) loadSoon()
  }

  /** Opens a file, or closes it; what is open is read. */
  function unfold(index: number, isUnfolded: boolean): Promise<void> {
    const next = new Set(unfolded.value)
    if (isUnfolded) next.add(index)
    else next.delete(index)
    unfolded.value = next
    readAs.delete(index)
    return isUnfolded ? loadAnew() : Promise.resolve()
  }

  /** As it is on disk now, whatever the list says. */
  async function fresh(index: number): Promise<Config> {
    const config = await commands.one(mode.value, index)
    if (config.mode === mode.value) keep([config])
    return config
  }

  async function save(index: number, content: string): Promise<void> {
    const config = await commands.save(mode.value, index, content)
    if (config.mode === mode.value) keep([config])
    readAs.delete(index)
    await loadAnew()
  }

  async function add(): Promise<number> {
    const config = await commands.add(mode.value)
    await unfold(config.index, true)
    return config.index
  }

  async function remove(index: number): Promise<void> {
    await commands.remove(mode.value, index)
    await unfold(index, false)
    await loadAnew()
  }

  async function bind(key: ProcessKey, path: string): Promise<void> {
    await commands.bind(key, path)
    readAs.delete(key.config_index)
    await loadAnew()
  }

  return { mode, items, configs, unfolded, state, open, close, load, loadAnew, stir, unfold, fresh, save, add, remove, bind }
}
