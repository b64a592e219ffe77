import type { GpuGroup } from '@/api/forecast'
import type { Reason } from '@/api/problems'

/** GPUs that a task cannot use for one kind of reason; null: they fit. */
export interface GpuReasonGroup {
  code: string | null
  gpus: number[]
  /** The single reasons, one for each group of the server. */
  reasons: Reason[]
  /** The tasks that they name, without repetition. */
  tasks: number[]
}

/** Joins groups of the same code: what fits first, then the largest. */
export function byCode(groups: readonly GpuGroup[]): GpuReasonGroup[] {
  const all = new Map<string | null, GpuReasonGroup>()
  for (const { reason, gpus } of groups) {
    const code = reason?.code ?? null
    const group = all.get(code) ?? { code, gpus: [], reasons: [], tasks: [] }
    all.set(code, group)
    group.gpus.push(...gpus)
    if (reason === null) continue
    group.reasons.push(reason)
    const task = reason.params?.task
    if (task !== undefined && /^\d+$/.test(String(task)) && !group.tasks.includes(Number(task))) group.tasks.push(Number(task))
  }
  for (const group of all.values()) group.gpus.sort((one, other) => one - other)
  const rank = (group: GpuReasonGroup): number => (group.code === null ? Infinity : group.gpus.length)
  return [...all.values()].sort((one, other) => rank(other) - rank(one) || (one.gpus[0] ?? 0) - (other.gpus[0] ?? 0))
}
