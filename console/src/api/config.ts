import { call } from './request'
import type { AnswerBody, Narrow } from './schema'

// Rules and settings: values by key, each with its source.

export type EntryValue = number | boolean | string | number[] | string[] | null

/** `source` is `usual` (the default), `in memory`, or the file and line where the value is set. */
export type Entry = Narrow<AnswerBody<'RuleEntry'>, { value: EntryValue; usual: EntryValue; kind: 'whole' | 'flag' | 'cards' | 'text' | 'texts' | 'word' }>

/** By key, with dots for nested keys; null restores the default. */
export type EntryChanges = Record<string, EntryValue>

export type Rules = Narrow<AnswerBody<'Rules'>, { entries: Entry[] }>

export type Settings = Narrow<AnswerBody<'Setting'>, { entries: Entry[] }>

export const configApi = {
  rules: async (): Promise<Rules> => (await call<Rules>('/api/rule')).body,

  changeRules: async (changes: EntryChanges, isPersistent: boolean): Promise<Rules> =>
    (await call<Rules>(`/api/rule${isPersistent ? '' : '?persist=false'}`, { method: 'PUT', body: changes })).body,

  settings: async (): Promise<Settings> => (await call<Settings>('/api/setting')).body,

  changeSettings: async (changes: EntryChanges): Promise<Settings> => (await call<Settings>('/api/setting', { method: 'PUT', body: changes })).body,
}
