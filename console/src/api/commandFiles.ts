import { call } from './request'
import type { AnswerBody, Narrow, RequestBody } from './schema'

/** One GPU per task, or several. */
export const MODES = ['single', 'multi'] as const
export type Mode = (typeof MODES)[number]

/** A command file in the list. The file shown as config 1 has the index 0. */
export type CommandFileEntry = AnswerBody<'CommandEntry'>

export type CommandFileTask = AnswerBody<'CommandTask'>

export type CommandFileQueue = AnswerBody<'CommandQueue'>

export type CommandFile = Narrow<AnswerBody<'CommandConfig'>, { mode: Mode }>

/** Identifies one task of a command file. */
export type ProcessKey = Omit<Narrow<RequestBody<'LogBind'>, { mode: Mode }>, 'log_path'>

export type BoundLog = AnswerBody<'LogContent'>

export const commandFileApi = {
  list: async (mode: Mode): Promise<CommandFileEntry[]> => (await call<CommandFileEntry[]>(`/api/commands/${mode}/list`)).body,

  one: async (mode: Mode, index: number): Promise<CommandFile> => (await call<CommandFile>(`/api/commands/${mode}?config_index=${index}`)).body,

  save: async (mode: Mode, index: number, content: string): Promise<CommandFile> =>
    (await call<CommandFile>(`/api/commands/${mode}?config_index=${index}`, { method: 'PUT', body: { content } })).body,

  add: async (mode: Mode): Promise<CommandFile> => (await call<CommandFile>(`/api/commands/${mode}/new`, { method: 'POST' })).body,

  remove: async (mode: Mode, index: number): Promise<void> => void (await call<unknown>(`/api/commands/${mode}/${index}`, { method: 'DELETE' })),

  /** An empty path removes the binding. */
  bind: async (key: ProcessKey, path: string): Promise<void> => void (await call<unknown>('/api/log/bind', { method: 'POST', body: { ...key, log_path: path } })),

  log: async (key: ProcessKey, tail: number): Promise<BoundLog> => {
    const search = new URLSearchParams({ ...Object.fromEntries(Object.entries(key).map(([name, value]) => [name, String(value)])), tail: String(tail) })
    return (await call<BoundLog>(`/api/log/content?${search}`)).body
  },
}
