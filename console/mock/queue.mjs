// Queue and placement of the mock.

import { expected } from './world.mjs'

const PRIORITIES = ['CRITICAL', 'HIGH', 'NORMAL', 'LOW']

const counts = (tasks) => Object.fromEntries(PRIORITIES.map((priority) => [priority, tasks.filter((task) => task.priority === priority).length]))
const waited = (task) => (Date.now() - Date.parse(task.queued_at)) / 1000

export function queue(world, limit) {
  const waiting = [...world.tasks.values()].filter((task) => task.status === 'queued')
  const devices = [...new Set(waiting.map((task) => task.devices))].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
  const longest = waiting.toSorted((a, b) => waited(b) - waited(a))[0]
  return {
    queued: waiting.length, running: world.count('running'), pending: world.count('pending'), scheduler_running: world.scheduler.running,
    paused: world.scheduler.running ? null : { detail: 'The scheduler is stopped.', code: 'paused.stopped', params: {}, parts: [] },
    longest_wait_seconds: longest ? waited(longest) : null, longest_wait_task_id: longest?.id ?? null, wait_warn_seconds: Number(process.env.MOCK_WARN ?? 86400),
    waiting_too_long: waiting.filter((task) => waited(task) > Number(process.env.MOCK_WARN ?? 86400)).length,
    priority_algorithm: 'priority', gpu_selector: 'best_score', priorities: counts(waiting),
    lines: devices.map((device) => line(device, waiting.filter((task) => task.devices === device), limit)),
  }
}

const rank = (device) => (device === 'auto' ? 0 : device === 'cpu' ? 1 : 2)

function line(device, tasks, limit) {
  const ordered = tasks.toSorted((a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.id - b.id)
  return { device, kind: ['main', 'cpu', 'devices'][rank(device)], count: tasks.length, priorities: counts(tasks), tasks: ordered.slice(0, limit).map((task, position) => ({ ...task, ...expected(task), wait_seconds: waited(task), position, score: 2e12 + task.id })) }
}

/** All free GPUs fit, and the first of them is chosen. */
export function placement(world, task) {
  let left = task.gpu_count
  const gpus = world.cards.map((card) => {
    const refusal = refused(card)
    const fits = refusal === null
    const chosen = fits && left-- > 0
    const cool = Math.max(0, 60 - (card.temperature_c ?? 60)) / 3
    const room = Math.round((30 * (card.memory_free_mb ?? 0)) / card.memory_total_mb)
    return {
      index: card.index, uuid: card.uuid, name: card.name, memory_total_mb: card.memory_total_mb, memory_free_mb: card.memory_free_mb, headroom_mb: card.memory_free_mb,
      fits, chosen, refusal, score: room + cool, model_affinity_score: 50, load_balance_score: 49,
      scores: {
        best_score: { total: room + cool, parts: { model_loaded: 0, memory_free: room, coolness: cool } },
        balanced: { total: 60 + room, parts: { model_affinity: 50, memory: room, utilization: 4, coolness: 6, idle: 0 } },
        sampling: { total: 12.5, parts: { mean_utilization: card.utilization_percent ?? 0, memory_free: room } },
      },
    }
  })
  return {
    task_id: task.id, status: task.status, selector: 'best_score',
    need: { min_gpu: task.gpu_count, max_gpu: task.max_gpu, memory_mb: task.memory_gb === null ? null : task.memory_gb * 1024, memory_from: task.memory_gb === null ? 'none' : 'stated', margin_mb: 0, threshold_percent: task.memory_gb === null ? 20 : null },
    would_start: left <= 0, reasons: task.wait_reasons, gpus,
  }
}

function refused(card) {
  const say = (code, detail, params) => ({ detail, code, params: { gpu: String(card.index), uuid: card.uuid, ...params }, parts: [] })
  if (card.status === 'unknown') return say('card.unreadable', 'It cannot be read.', { why: card.why })
  if (card.task_ids.length > 0) return say('card.held', 'It is held.', { task: String(card.task_ids[0]), attempt: '1' })
  const other = card.processes.find((process) => process.foreign)
  return other ? say('card.others_work', 'It is in use.', { pid: String(other.pid), program: other.name, user: other.user, process_mib: String(other.memory_mb) }) : null
}
