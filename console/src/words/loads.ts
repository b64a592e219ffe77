import type { Card, CardProcess } from '@/api/wire'
import type { Part } from '@/ui/Bar.vue'

import { percent } from './amounts'

/** What the memory of a card went to: Berth's tasks, other people's processes, and what cannot be told. */
export function memoryParts(card: Card): Part[] {
  const total = card.memory_total_mb
  const used = card.memory_used_mb
  if (used === null) return []
  const sum = (which: (process: CardProcess) => boolean): number =>
    (card.processes ?? []).filter(which).reduce((mib, process) => mib + (process.memory_mb ?? 0), 0)
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
    { percent: percent(rest, total) ?? 0, tone: (card.processes?.length ?? 0) === 0 && card.task_ids.length > 0 ? 'accent' : 'still' },
  ]
  return parts.filter((part) => part.percent > 0.05)
}

export function utilizationParts(utilization: number | null): Part[] {
  return utilization === null || utilization === 0 ? [] : [{ percent: Math.min(100, utilization), tone: 'work' }]
}

/** Who uses a card without having asked Berth. Graphics do not count: every desktop has some. */
export function foreignUsers(card: Card): (string | null)[] {
  return [...new Set((card.processes ?? []).filter((process) => process.foreign && process.kind === 'compute').map((process) => process.user))]
}
