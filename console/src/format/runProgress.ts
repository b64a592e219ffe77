import type { Reason } from '@/api/problems'
import type { RunLane, RunState } from '@/api/runs'
import type { Part } from '@/ui/Bar.vue'

import { percent } from './amounts'

/** The progress bar of a run: completed, failed, cancelled and running tasks. */
export function runParts(run: Pick<RunState, 'total' | 'completed' | 'failed' | 'cancelled' | 'running'>): Part[] {
  const parts: Part[] = [
    { percent: percent(run.completed, run.total) ?? 0, tone: 'good' },
    { percent: percent(run.failed, run.total) ?? 0, tone: 'bad' },
    { percent: percent(run.cancelled, run.total) ?? 0, tone: 'still' },
    { percent: percent(run.running, run.total) ?? 0, tone: 'doing' },
  ]
  return parts.filter((part) => part.percent > 0)
}

/** The task that starts next: the first one without a backoff, or else the first one in backoff. */
export function nextTaskOf(run: RunState): number | null {
  const heads = Object.values(run.queues).flatMap((lane) => lane.processes.find((one) => one.status === 'pending') ?? [])
  const able = heads.filter((one) => one.backoff_until === null)
  const ids = (able.length > 0 ? able : heads).map((one) => one.task_id)
  return ids.length === 0 ? null : Math.min(...ids)
}

const OUT_OF_REACH = new Set(['card.kept_back', 'card.outside_pool', 'card.reserved', 'card.outside_lanes'])

/** True if only gpu_left prevents the start: then waiting does not help. */
export const isEveryGpuKeptFree = (reasons: readonly Reason[]): boolean =>
  reasons.some(({ parts = [] }) => parts.some((part) => part.code === 'card.kept_back') && parts.every((part) => OUT_OF_REACH.has(part.code)))

/** The lanes in numeric order. */
export function lanesOf(run: RunState): { id: string; lane: RunLane }[] {
  return Object.entries(run.queues)
    .map(([id, lane]) => ({ id, lane }))
    .sort((a, b) => Number(a.id) - Number(b.id) || a.id.localeCompare(b.id))
}
