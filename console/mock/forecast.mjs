// Expected times, reasons with suggestions, the timeline, and what was learned, in the mock.

const MINUTE = 60
const at = (seconds) => new Date(Date.now() + seconds * 1000).toISOString()
const RUN_SECONDS = 12 * MINUTE

/** Every fourth task is of a kind that never ran. */
const isNew = (task) => task.id % 4 === 3

/** The expected times of a task, as its summary carries them. */
export function forecast(task) {
  const unknown = { predicted_seconds: null, predicted_seconds_high: null, predicted_from: null, eta: null, eta_latest: null, expected_end: null, expected_end_latest: null }
  if (isNew(task) || !['queued', 'running'].includes(task.status)) return unknown
  const learned = { predicted_seconds: RUN_SECONDS, predicted_seconds_high: 19 * MINUTE, predicted_from: 14 }
  if (task.status === 'running') return { ...unknown, ...learned, expected_end: at(7 * MINUTE), expected_end_latest: at(14 * MINUTE) }
  const wait = (2 + (task.id % 9) * 13) * MINUTE
  return { ...learned, eta: at(wait), eta_latest: at(wait * 1.8), expected_end: at(wait + RUN_SECONDS), expected_end_latest: at(wait * 1.8 + 19 * MINUTE) }
}

export class Forecasts {
  constructor(world, { json, refuse }) {
    Object.assign(this, { world, json, refuse })
    this.known = learned()
  }

  /** True if the request was handled. */
  route(method, path, query, text, response) {
    const [, , kind, id, verb] = path.split('/')
    const to = (body) => this.json(response, 200, body)
    if (process.env.MOCK_OLD === '1') return false
    if (kind === 'tasks' && id === 'preview') this.preview(JSON.parse(text), response)
    else if (kind === 'tasks' && verb === 'why') this.why(this.world.tasks.get(Number(id)), response)
    else if (kind === 'timeline') to(timeline(this.world, Date.parse(query.get('from')), Date.parse(query.get('to'))))
    else if (kind === 'learned') this.learn(method, id, response)
    else return false
    return true
  }

  why(task, response) {
    if (task === undefined) return this.refuse(response, 404, 'task.unknown', null, 'There is no such task.')
    const running = [...this.world.tasks.values()].filter((one) => one.status === 'running')
    const before = [...this.world.tasks.values()].filter((one) => one.status === 'queued' && one.id < task.id)
    const ahead = [...running, ...before].map((one) => ({ task_id: one.id, name: one.name, owner: one.owner, status: one.status, gpus: one.status === 'running' ? one.assigned_gpus : [], expected_end: forecast(one).expected_end }))
    const { eta, eta_latest } = forecast(task)
    const reasons = task.wait_reasons
    this.json(response, 200, {
      task_id: task.id, status: task.status, summary: reasons[0] ?? null, reasons, gpus: groups(reasons[0]?.parts ?? []),
      ahead: ahead.slice(0, 20), ahead_total: ahead.length, people_ahead: new Set(ahead.map((one) => one.owner)).size, eta, eta_latest,
      reserved_start: task.id % 5 === 0 && eta ? eta : null, suggestions: task.id % 7 === 0 ? [] : suggestions(task),
    })
  }

  preview(body, response) {
    if (body.gpu_count > 6) return this.refuse(response, 422, 'gpu_count.too_many', 'gpu_count', 'Too many.', { wanted: String(body.gpu_count), exist: '6' })
    const isWaiting = body.gpu_count > 2 || body.gpu_type === 'NVIDIA H200'
    const known = body.command?.includes('train') ? { predicted_seconds: RUN_SECONDS, predicted_seconds_high: 19 * MINUTE, predicted_from: 14, suggested_memory_mb: 17_910 } : { predicted_seconds: null, predicted_seconds_high: null, predicted_from: null, suggested_memory_mb: null }
    const eta = isWaiting && known.predicted_seconds ? at(14 * MINUTE) : null
    this.json(response, 200, { starts_now: !isWaiting, gpus: isWaiting ? [] : [2], eta, eta_latest: eta && at(31 * MINUTE), ...known, reasons: isWaiting ? this.world.reasons().map((one) => ({ ...one, parts: [] })) : [], position: isWaiting ? 3 : null })
  }

  learn(method, fingerprint, response) {
    if (method !== 'DELETE') return this.json(response, 200, this.known)
    this.known = fingerprint === undefined ? [] : this.known.filter((one) => one.fingerprint !== fingerprint)
    this.json(response, 200, {})
  }
}

function groups(parts) {
  const kinds = parts.map((part) => ({ reason: part, gpus: [Number(part.params.gpu)] }))
  return [...kinds, { reason: null, gpus: [3] }]
}

const suggestions = (task) => [
  { code: 'fewer_gpus', params: { gpus: '1' }, detail: 'with 1 GPU: now', change: { gpu_count: 1 }, starts_now: true, eta: null, command: `berth edit ${task.id} --gpus 1` },
  { code: 'any_type', params: { variant: 'later', type: 'NVIDIA H200', wait: '360' }, detail: 'without type NVIDIA H200: in about 6 min', change: { gpu_type: null }, starts_now: false, eta: at(6 * MINUTE), command: `berth edit ${task.id} --gpu-type any` },
  { code: 'less_memory', params: { variant: 'later', memory_gb: '18', wait: '540' }, detail: 'with 18 GB of GPU memory: in about 9 min', change: { gpu_count: 9 }, starts_now: false, eta: at(9 * MINUTE), command: `berth edit ${task.id} --memory 18g` },
]

/** Runs of a week on each GPU, always the same, and expected ones for a day. */
function timeline(world, from, to) {
  const many = Number(process.env.MOCK_TIMELINE_GPUS ?? 0)
  const gpus = many > 0 ? Array.from({ length: many }, (_, index) => ({ index, uuid: `GPU-${index}`, name: 'NVIDIA H200' })) : world.cards.map(({ index, uuid, name }) => ({ index, uuid, name }))
  const names = ['llama-8b sft', 'resnet50 / imagenet', '数据预处理', 'vit-large ablation 3', 'eval gsm8k', 'whisper-zh 微调']
  const now = Date.now()
  const hour = 3_600_000
  const runs = []
  for (const gpu of gpus) {
    const rest = noise(gpu.index + 1)
    let start = Math.floor((now - 8 * 24 * hour) / (24 * hour)) * 24 * hour
    while (start < now + 24 * hour) {
      const long = (0.2 + rest() * 4.5) * hour
      const isPast = start + long < now
      const isRunning = !isPast && start < now
      const id = 1 + Math.floor(rest() * 55)
      const end = start + long
      runs.push({ task_id: id, name: names[id % names.length], owner: ['alice', 'bob', '陈晨', 'dmitri'][id % 4], status: isPast ? ['completed', 'completed', 'failed', 'completed', 'cancelled'][id % 5] : isRunning ? 'running' : 'queued', gpus: gpu.index % 8 === 0 && id % 3 === 0 ? [gpu.index, gpu.index + 1].filter((one) => one < gpus.length) : [gpu.index], start: iso(start), end: iso(end), is_predicted: !isPast, end_latest: isPast ? null : iso(end + long * 0.4) })
      start = end + rest() * 0.6 * hour
    }
  }
  const shown = runs.filter((run) => Date.parse(run.start) < to && Date.parse(run.end) > from)
  return { from: iso(from), to: iso(to), now: iso(now), gpus, runs: shown.slice(0, 5000), truncated: shown.length > 5000, reservation: { task_id: 52, gpus: [1, 2], start: iso(now + 1.4 * hour) } }
}

const iso = (ms) => new Date(ms).toISOString()

function noise(seed) {
  let state = seed * 2_654_435_761
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.abs(state) / 4_294_967_296
  }
}

const learned = () =>
  [
    ['a1', 'llama-8b sft', 'alice', 'python train.py --config configs/h#.yaml --num-epochs #', 4, 14, 720, 1140, 690, 1170, 74_220],
    ['b2', 'eval gsm8k', 'alice', 'python eval.py --task gsm#k --shots #', 1, 41, 95, 130, 61, 214, 17_910],
    ['c3', '数据预处理', '陈晨', null, 0, 3, 3_900, 5_400, 3_100, 5_500, null],
    ['d4', 'diffusion sweep', 'bob', null, 1, 1, 18_300, 18_300, 18_300, 18_300, 22_000],
  ].map(([fingerprint, name, owner, command, gpus, runs, median_seconds, p90_seconds, min_seconds, max_seconds, peak_memory_mb]) => ({ fingerprint, name, owner, command, gpus, runs, median_seconds, p90_seconds, min_seconds, max_seconds, peak_memory_mb, last_run: at(-4000) }))
