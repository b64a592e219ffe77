import { call } from './request'

/** What was used, by one person or by all. */
export interface Share {
  tasks: number
  completed: number
  failed: number
  cancelled: number
  gpu_hours: number
  wait_mean_seconds: number | null
  wait_p95_seconds: number | null
  utilization_mean: number | null
  memory_asked_mb: number | null
  memory_peak_mb: number | null
  /** What was used of what was asked for, 0 to 1. */
  memory_efficiency: number | null
}

export interface UserShare extends Share {
  user: string
}

export interface Usage {
  from: string
  to: string
  users: UserShare[]
  total: Share
}

export const usageOf = async (days: number): Promise<Usage> => (await call<Usage>(`/api/usage?days=${days}`)).body
