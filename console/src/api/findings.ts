// What was found out about a task from its log and its cards, as docs/api.md says.

/** How far a running task is, as its log tells. */
export interface Progress {
  done: number
  total: number
  percent: number
  unit: string | null
  per_second: number | null
  finish_at: string | null
  line: string
  /** For so long nothing has moved. */
  stalled_seconds: number | null
}

export const CAUSES = ['oom', 'host_oom', 'cuda', 'gpu_hardware', 'driver', 'nccl', 'module_missing', 'conda', 'command_missing', 'file_missing', 'permission', 'disk_full', 'packages', 'port_in_use', 'network', 'arguments', 'segfault', 'traceback'] as const

/** What to ask for differently next time. */
export interface Redo {
  memory_gb?: number | null
  env?: Record<string, string> | null
  time_limit?: number | null
  timeout_seconds?: number | null
}

export interface Diagnosis {
  cause: string
  line: string
  advice: string
  params: Record<string, string>
  redo: Redo | null
}

/** What an attempt took of its cards, against what was asked. */
export interface Consumption {
  peak_memory_mb: number
  mean_memory_mb: number
  peak_utilization: number | null
  mean_utilization: number | null
  watched_seconds: number
  memory_asked_mb: number | null
  gpu_seconds: number
}
