import { call } from './request'

// Rules and settings: values by key, with where each came from, as docs/api.md says.

export type EntryValue = number | boolean | string | number[] | null

export interface Entry {
  key: string
  value: EntryValue
  usual: EntryValue
  /** `usual`, `in memory`, or the file and line it stands in. */
  source: string
  kind: 'whole' | 'flag' | 'cards' | 'text' | 'word'
  words: string[] | null
  least: number | null
  most: number | null
  about: string
}

/** By key, dotted where it is nested; null is back to usual. */
export type EntryChanges = Record<string, EntryValue>

export interface Rules {
  file: string
  entries: Entry[]
}

export interface Settings {
  entries: Entry[]
  addresses: string[]
  hostname: string
  version: string
  java: string
  system: string
  home: string
  url: string
  files: string[]
  restart_needed: boolean
}

export const entries = {
  rules: async (): Promise<Rules> => (await call<Rules>('/api/rule')).body,

  changeRules: async (changes: EntryChanges, isKept: boolean): Promise<Rules> =>
    (await call<Rules>(`/api/rule${isKept ? '' : '?persist=false'}`, { method: 'PUT', body: changes })).body,

  settings: async (): Promise<Settings> => (await call<Settings>('/api/setting')).body,

  changeSettings: async (changes: EntryChanges): Promise<Settings> => (await call<Settings>('/api/setting', { method: 'PUT', body: changes })).body,
}
