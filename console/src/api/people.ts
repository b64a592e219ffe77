import { call } from './request'
import type { Role } from './session'

export const LIMIT_KEYS = ['max_gpus', 'max_running', 'max_queued', 'max_hours', 'gpu_hours_per_day', 'max_priority'] as const
export type LimitKey = (typeof LIMIT_KEYS)[number]

/** A limit in force. `source` is `user`, `group:NAME` or `default`. */
export interface Limit {
  value: number | string
  source: string
}

/** A user with tasks, use or limits of their own. Shares are 0 to 1; `share` is what fair share aims for now. */
export interface Person {
  user: string
  groups: string[]
  role: Role | null
  weight: number
  vip: boolean
  group_weight: number
  share: number | null
  used_gpu_hours: number
  used_share: number | null
  running: number
  running_gpus: number
  queued: number
  limits: Partial<Record<LimitKey, Limit | null>>
  over_budget: boolean
}

/** null takes a value of the user's own away; what is left out stays. */
export interface PersonChange {
  weight?: number
  vip?: boolean
  limits?: Partial<Record<LimitKey, number | string | null>>
}

export const peopleApi = {
  all: async (): Promise<Person[]> => (await call<Person[]>('/api/people')).body,

  /** The answer has everybody: the shares of others change too. */
  change: async (user: string, change: PersonChange): Promise<Person[]> => (await call<Person[]>(`/api/people/${encodeURIComponent(user)}`, { method: 'PATCH', body: change })).body,
}
