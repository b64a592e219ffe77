import type { Reason } from '@/api/problems'

/** Reasons with the same code, about different GPUs. */
export interface ReasonGroup {
  code: string
  reasons: Reason[]
  /** The tasks that they name, without repetition. */
  tasks: number[]
}

/** From this number on, reasons are grouped: fewer are read faster one by one. */
export const MIN_GROUPED = 6

/** The largest groups first. */
export function grouped(reasons: readonly Reason[]): ReasonGroup[] {
  const byCode = new Map<string, Reason[]>()
  for (const reason of reasons) byCode.set(reason.code, [...(byCode.get(reason.code) ?? []), reason])
  return [...byCode]
    .map(([code, all]) => ({ code, reasons: all, tasks: [...new Set(all.map((one) => one.params?.task).filter((task) => task !== undefined && /^\d+$/.test(String(task))))].map(Number) }))
    .sort((one, other) => other.reasons.length - one.reasons.length)
}
