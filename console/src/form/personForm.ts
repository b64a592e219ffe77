import { LIMIT_KEYS, type LimitKey, type Person, type PersonChange } from '@/api/people'

import type { FieldError } from './taskForm'

/** What an admin types about one user. An empty limit is not the user's own: that of a group or the default applies. */
export interface PersonForm {
  weight: string
  vip: boolean
  limits: Record<LimitKey, string>
}

export type PersonErrors = Partial<Record<LimitKey | 'weight', FieldError>>

const WHOLE: ReadonlySet<LimitKey> = new Set(['max_gpus', 'max_running', 'max_queued'])
const NUMBER = /^\d{1,6}(\.\d{1,3})?$/

export function formOfPerson(person: Person): PersonForm {
  const own = (key: LimitKey): string => (person.limits[key]?.source === 'user' ? String(person.limits[key]!.value).toUpperCase() : '')
  return { weight: String(person.weight), vip: person.vip, limits: Object.fromEntries(LIMIT_KEYS.map((key) => [key, own(key)])) as Record<LimitKey, string> }
}

export function checkPerson(form: PersonForm): PersonErrors {
  const errors: PersonErrors = {}
  if (!NUMBER.test(form.weight.trim()) || Number(form.weight) <= 0) errors.weight = { key: 'people.error.weight', params: {} }
  for (const key of LIMIT_KEYS) {
    const text = form.limits[key].trim()
    if (text === '' || key === 'max_priority') continue
    if (WHOLE.has(key) ? !/^\d{1,9}$/.test(text) : !NUMBER.test(text)) errors[key] = { key: WHOLE.has(key) ? 'people.error.whole' : 'people.error.number', params: {} }
  }
  return errors
}

/** Only what differs from the form as it was opened. */
export function changeOf(before: PersonForm, now: PersonForm): PersonChange {
  const change: PersonChange = {}
  if (Number(now.weight) !== Number(before.weight)) change.weight = Number(now.weight)
  if (now.vip !== before.vip) change.vip = now.vip
  const limits: NonNullable<PersonChange['limits']> = {}
  for (const key of LIMIT_KEYS) {
    const text = now.limits[key].trim()
    if (text === before.limits[key]) continue
    limits[key] = text === '' ? null : key === 'max_priority' ? text.toLowerCase() : Number(text)
  }
  if (Object.keys(limits).length > 0) change.limits = limits
  return change
}
