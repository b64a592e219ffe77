import type { Gpu, GpuProcess } from '@/api/gpus'
import type { Part } from '@/ui/Bar.vue'

import { percent } from './amounts'

/** The used memory of a GPU: by Berth's tasks, by foreign processes, and the unattributed rest. */
export function memoryParts(gpu: Gpu): Part[] {
  const total = gpu.memory_total_mb
  const used = gpu.memory_used_mb
  if (used === null) return []
  const sum = (which: (process: GpuProcess) => boolean): number =>
    (gpu.processes ?? []).filter(which).reduce((mib, process) => mib + (process.memory_mb ?? 0), 0)
  const ours = Math.min(
    used,
    sum((process) => !process.foreign),
  )
  const foreign = Math.min(
    used - ours,
    sum((process) => process.foreign),
  )
  const rest = used - ours - foreign
  const parts: Part[] = [
    { percent: percent(ours, total) ?? 0, tone: 'accent' },
    { percent: percent(foreign, total) ?? 0, tone: 'warn' },
    { percent: percent(rest, total) ?? 0, tone: (gpu.processes?.length ?? 0) === 0 && gpu.task_ids.length > 0 ? 'accent' : 'still' },
  ]
  return parts.filter((part) => part.percent > 0.05)
}

export function utilizationParts(utilization: number | null): Part[] {
  return utilization === null || utilization === 0 ? [] : [{ percent: Math.min(100, utilization), tone: 'work' }]
}

/** Owners of foreign compute processes on a GPU. Graphics processes do not count: every desktop has some. */
export function foreignUsers(gpu: Gpu): (string | null)[] {
  return [...new Set((gpu.processes ?? []).filter((process) => process.foreign && process.kind === 'compute').map((process) => process.user))]
}
