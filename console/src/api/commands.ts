import { call } from './request'
import type { LineProblem } from './wire'

// Command files and the logs bound to what they run, as docs/api.md says.

/** One card a task, or several. */
export const MODES = ['single', 'multi'] as const
export type Mode = (typeof MODES)[number]

/** A command file as the list tells it; config 1 has the index 0. */
export interface ConfigEntry {
  index: number
  config: number
  file: string
  tasks: number
  queues: number
  problems: number
  running_pid: number | null
  modified_at: string | null
}

export interface ConfigTask {
  task_index: number
  line: number
  commands: string[]
  memory_gb: number
  gpu_count: number
  max_gpu: number
  log_path: string | null
}

export interface ConfigQueue {
  queue_id: number
  tasks: ConfigTask[]
}

export interface Config {
  mode: Mode
  index: number
  config: number
  file: string
  content: string
  queues: ConfigQueue[]
  problems: LineProblem[]
  running_pid: number | null
}

/** Names one task of a command file. */
export interface ProcessKey {
  mode: Mode
  config_index: number
  queue_id: number
  task_index: number
}

export interface BoundLog {
  log_path: string
  lines: string[]
  truncated: boolean
}

export const commands = {
  list: async (mode: Mode): Promise<ConfigEntry[]> => (await call<ConfigEntry[]>(`/api/commands/${mode}/list`)).body,

  one: async (mode: Mode, index: number): Promise<Config> => (await call<Config>(`/api/commands/${mode}?config_index=${index}`)).body,

  save: async (mode: Mode, index: number, content: string): Promise<Config> =>
    (await call<Config>(`/api/commands/${mode}?config_index=${index}`, { method: 'PUT', body: { content } })).body,

  add: async (mode: Mode): Promise<Config> => (await call<Config>(`/api/commands/${mode}/new`, { method: 'POST' })).body,

  remove: async (mode: Mode, index: number): Promise<void> => void (await call<unknown>(`/api/commands/${mode}/${index}`, { method: 'DELETE' })),

  /** An empty path unbinds. */
  bind: async (key: ProcessKey, path: string): Promise<void> => void (await call<unknown>('/api/log/bind', { method: 'POST', body: { ...key, log_path: path } })),

  log: async (key: ProcessKey, tail: number): Promise<BoundLog> => {
    const search = new URLSearchParams({ ...Object.fromEntries(Object.entries(key).map(([name, value]) => [name, String(value)])), tail: String(tail) })
    return (await call<BoundLog>(`/api/log/content?${search}`)).body
  },
}
