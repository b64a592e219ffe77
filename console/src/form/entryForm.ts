import type { Entry, EntryChanges, EntryValue } from '@/api/config'

import type { FieldError } from './taskForm'

/** The edited value of an entry. `isReset`: the server restores its default. */
export interface Draft {
  value: string | boolean | number[]
  isReset: boolean
}

/** Edited entries only, so that the others follow the server. */
export type Drafts = Readonly<Record<string, Draft>>

export function shown(entry: Entry, value: EntryValue = entry.value): Draft['value'] {
  if (entry.kind === 'flag') return value === true
  if (entry.kind === 'cards') return Array.isArray(value) ? value.map(Number) : []
  if (entry.kind === 'texts') return Array.isArray(value) ? value.join('\n') : ''
  return value === null ? '' : String(value)
}

export const draftOf = (entry: Entry, drafts: Drafts): Draft['value'] => drafts[entry.key]?.value ?? shown(entry)

export const resetOf = (entry: Entry): Draft => ({ value: shown(entry, entry.usual), isReset: true })

const WHOLE = /^-?\d{1,15}$/
const CARDS = /^\d{1,4}(\s*,\s*\d{1,4})*$/

/** Parses `0,1,2`; null if it is not a list of numbers. */
export function readGpuIndexes(text: string): number[] | null {
  const typed = text.trim()
  if (typed === '') return []
  return CARDS.test(typed) ? [...new Set(typed.split(',').map(Number))].sort((a, b) => a - b) : null
}

function valueOf(entry: Entry, draft: Draft['value']): EntryValue {
  if (entry.kind === 'cards') return Array.isArray(draft) ? [...draft].sort((a, b) => a - b) : readGpuIndexes(String(draft))
  if (entry.kind === 'flag') return draft === true
  // A space may be part of a pattern.
  if (entry.kind === 'texts') return String(draft).split('\n').filter((line) => line.trim() !== '')
  const text = String(draft).trim()
  if (text === '') return null
  return entry.kind === 'whole' ? Number(text) : text
}

const isSame = (a: EntryValue, b: EntryValue): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The changed values only; null restores the default. */
export function changesOf(entries: readonly Entry[], drafts: Drafts): EntryChanges {
  const changes: EntryChanges = {}
  for (const entry of entries) {
    const draft = drafts[entry.key]
    if (draft === undefined) continue
    if (draft.isReset) {
      if (entry.source !== 'usual') changes[entry.key] = null
      continue
    }
    const value = valueOf(entry, draft.value)
    if (!isSame(value, entry.kind === 'cards' && Array.isArray(entry.value) ? entry.value.map(Number).sort((a, b) => a - b) : entry.value)) changes[entry.key] = value
  }
  return changes
}

/** Errors that can be found without the server. */
export function faultsOf(entries: readonly Entry[], drafts: Drafts): Record<string, FieldError> {
  const faults: Record<string, FieldError> = {}
  for (const entry of entries) {
    const draft = drafts[entry.key]
    if (draft === undefined || draft.isReset) continue
    const fault = faultOf(entry, draft.value)
    if (fault !== null) faults[entry.key] = fault
  }
  return faults
}

function faultOf(entry: Entry, typed: Draft['value']): FieldError | null {
  const text = String(typed).trim()
  if (entry.kind === 'cards' && !Array.isArray(typed) && readGpuIndexes(text) === null) return { key: 'entry.error.gpus', params: {} }
  if (entry.kind !== 'whole') return null
  // An empty field restores the default, which may be no value.
  if (text === '') return null
  const params = { least: String(entry.least ?? ''), most: String(entry.most ?? '') }
  if (!WHOLE.test(text)) return { key: 'entry.error.whole', params }
  const value = Number(text)
  if (entry.least !== null && value < entry.least) return { key: entry.most === null ? 'entry.error.least' : 'entry.error.between', params }
  if (entry.most !== null && value > entry.most) return { key: entry.least === null ? 'entry.error.most' : 'entry.error.between', params }
  return null
}
