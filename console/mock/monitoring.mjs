// Faults, alerts, history, usage and receivers of the mock.

const HOUR = 3600
const DAY = 24 * HOUR
const SPANS = { '1h': HOUR, '6h': 6 * HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, '1y': 365 * DAY }
const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString()

export class Watch {
  constructor(world, { json, refuse }) {
    Object.assign(this, { world, json, refuse })
    this.alerts = []
    if (process.env.MOCK_CALM !== '1') this.happened()
    this.receivers = [
      receiver('lab', 'feishu', 'open.feishu.cn', null, ['task_failed', 'alert'], { last_delivered_at: ago(420) }),
      receiver('alice', 'mail', 'alice@example.org', ['alice'], ['task_completed', 'task_failed'], { state: 'retrying', last_delivered_at: ago(9 * HOUR), waiting: 2, last_error: 'mail.example.org: 451 4.7.1 greylisted, try again later' }),
      receiver('ops', 'webhook', 'hooks.example.org', null, ['alert'], { state: 'failing', waiting: 14, last_error: 'hooks.example.org: connection refused' }),
      receiver('夜班', 'dingtalk', 'oapi.dingtalk.com', ['陈晨', 'dmitri'], ['alert', 'stalled'], { last_delivered_at: ago(2 * DAY) }),
    ]
  }

  /** Two GPUs are faulty, one was taken out of use, and there are many alerts. */
  happened() {
    const { cards } = this.world
    cards[2].fault = { kind: 'xid', why: 'Xid 79: GPU has fallen off the bus', since: ago(380), stage: 'out' }
    cards[3].fault = { kind: 'hot', why: '94 °C, slowed down by the hardware for 60 s', since: ago(12), stage: 'testing' }
    for (const card of [cards[2], cards[3]]) Object.assign(card, { status: 'error', is_free: false, why: card.fault.why })
    const old = ['gpu_returned', 'long_wait', 'gpu_error', 'gpu_unreadable', 'processes_left', 'gpu_readable']
    for (let i = 60; i > 0; i--) this.alert(old[i % old.length], 5 * HOUR + i * 7000)
    this.alert('disk_low', 4 * HOUR)
    this.alert('disk_recovered', 3.8 * HOUR)
    this.alert('novel_type', 3 * HOUR)
    this.alert('stalled', 2 * HOUR)
    this.alert('message_undelivered', HOUR)
    this.alert('gpu_quarantined', 1800)
    this.alert('gpu_error', 420, 2)
    this.alert('gpu_unrecoverable', 380, 2)
    this.alert('gpu_error', 12, 3)
  }

  alert(type, age, gpu = 1) {
    const about = {
      gpu_error: ['CRITICAL', { gpu_id: gpu, error: gpu === 3 ? '94 °C, slowed down by the hardware for 60 s' : 'Xid 79: GPU has fallen off the bus', kind: 'xid' }],
      gpu_unrecoverable: ['CRITICAL', { gpu_id: gpu, error: 'not listed by the driver for 30 s' }],
      gpu_unreadable: ['WARNING', { gpu_id: 4, why: 'nvidia-smi has not answered for 4 s' }],
      gpu_readable: ['INFO', { gpu_id: 4 }],
      gpu_returned: ['INFO', { gpu_id: 0 }],
      gpu_quarantined: ['INFO', { gpu_id: 5, reason: 'fan makes a noise' }],
      gpu_handed_back: ['INFO', { gpu_id: gpu }],
      disk_low: ['CRITICAL', { node: 'local', free_mib: 812 }],
      disk_recovered: ['INFO', { node: 'local' }],
      long_wait: ['WARNING', { name: 'llama-8b sft', tasks: 3, limit_seconds: 86400 }, 41],
      processes_left: ['WARNING', { 31022: 'python', 31040: 'ray' }, 37],
      stalled: ['WARNING', { name: '数据预处理', minutes: 10 }, 44],
      message_undelivered: ['WARNING', { receiver: 'ops', why: 'connection refused' }],
      novel_type: ['INFO', {}],
    }
    const [level, details, task_id = null] = about[type]
    const one = { id: ++this.world.seq, at: ago(age), level, type, message: `消息 ${type} <b>not markup</b>`, details, task_id }
    this.alerts.unshift(one)
    this.world.tell('alert', { ...one, seq: one.id, kind: `alert.${type}`, actor: 'berth', data: {} }, one.id)
  }

  /** True if the request was handled. */
  route(method, path, query, text, response) {
    const [, , kind, id, verb] = path.split('/')
    const to = (body) => this.json(response, 200, body)
    const body = text === '' ? {} : JSON.parse(text)
    if (kind === 'alerts') to(this.alerts.filter((one) => one.id < Number(query.get('before') ?? Infinity)).slice(0, Number(query.get('limit') ?? 100)))
    else if (kind === 'usage') to(usage(Number(query.get('days') ?? 7)))
    else if (kind === 'receivers') this.receive(decodeURIComponent(id ?? ''), verb, response)
    else if (kind === 'gpus' && id === 'history') to(this.world.cards.map((card) => ({ ...cardHistory(card, '1h'), gpu: card.index })))
    else if (kind === 'gpus' && id !== undefined) this.card(this.world.cards[Number(id)], verb, query, body, response)
    else if (kind === 'tasks' && verb === 'history') to(attemptHistory(this.world.tasks.get(Number(id))))
    else if (kind === 'tasks' && verb === 'clone') this.clone(this.world.tasks.get(Number(id)), body, response)
    else return false
    return true
  }

  card(card, verb, query, body, response) {
    if (card === undefined) return this.refuse(response, 404, 'card.unknown', null, 'There is no such card.')
    if (verb === 'history') return this.json(response, 200, cardHistory(card, query.get('range') ?? '1h'))
    const healthy = () => Object.assign(card, { fault: null, status: card.task_ids.length > 0 ? 'busy' : 'free', why: null })
    if (verb === 'quarantine') {
      if (card.fault) return this.refuse(response, 409, 'card.out_already', null, 'It is out already.')
      Object.assign(card, { fault: { kind: 'person', why: body.reason, since: ago(0), stage: 'out' }, status: 'error', why: body.reason })
    } else if (!card.fault) {
      return this.refuse(response, 409, 'card.not_out', null, 'It is in use.')
    } else if (body.force) {
      healthy()
      this.alert('gpu_handed_back', 0, card.index)
    } else {
      card.fault = { ...card.fault, stage: 'testing' }
      setTimeout(() => healthy() && this.alert('gpu_returned', 0), 6000)
    }
    this.json(response, 200, card)
  }

  clone(task, change, response) {
    const { name, command, devices, gpu_type, gpu_count, memory_gb, share } = task
    this.json(response, 201, this.world.create({ name, command, devices, gpu_type, gpu_count, memory_gb, share, ...change }))
  }

  receive(name, verb, response) {
    if (verb !== 'test') return this.json(response, 200, process.env.MOCK_CALM === '1' ? [] : this.receivers)
    const one = this.receivers.find((receiver) => receiver.name === name)
    if (one === undefined) return this.refuse(response, 404, 'receiver.unknown', null, 'There is no such receiver.')
    const delivered = one.state !== 'failing'
    if (delivered) Object.assign(one, { state: 'ok', last_delivered_at: ago(0), waiting: 0, last_error: null })
    setTimeout(() => this.json(response, 200, { delivered, detail: delivered ? 'HTTP 200' : one.last_error }), 600)
  }
}

const receiver = (name, kind, to, users, events, more) => ({ name, kind, to, users, events, state: 'ok', last_delivered_at: null, waiting: 0, last_error: null, ...more })

/** Deterministic: the same value for the same time. */
const noise = (t, seed) => { const x = Math.sin(t * 12.9898 + seed * 78.233) * 43758.5453; return x - Math.floor(x) }
const wave = (t, seed, length) => 0.5 + 0.5 * Math.sin((t / length) * 2 * Math.PI + seed)

function cardHistory(card, range) {
  const span = SPANS[range] ?? HOUR
  const step = Math.max(1, Math.round(span / 720))
  const end = Math.floor(Date.now() / 1000 / step) * step
  const points = []
  for (let t = end - span; t < end; t += step) {
    const share = (t - end + span) / span
    if (card.index !== 1 && share > 0.31 && share < 0.36) continue
    if (range === '1y' && share < 0.4) continue
    const busy = card.index > 3 ? 0.1 : wave(t, card.index, span / 3.3) > 0.3 ? 1 : 0.04
    const memory = card.memory_total_mb * (0.02 + busy * (0.45 + 0.25 * wave(t, card.index + 1, span / 7) + 0.02 * noise(t, 1)))
    const use = Math.min(100, busy * (78 + 14 * noise(t, 2)))
    points.push({ t, memory_mb: Math.round(memory), memory_peak_mb: Math.round(Math.min(card.memory_total_mb, memory * (step > 5 ? 1.05 + 0.08 * noise(t, 3) : 1))), utilization: Math.round(use), utilization_peak: Math.round(Math.min(100, use + (step > 1 ? 12 * noise(t, 4) : 0))), temperature: Math.round(34 + 34 * wave(t - 40, card.index, span / 3.3) * busy + 3 * noise(t, 5)) })
  }
  return { from: ago(span), to: ago(0), step_seconds: step, points, gpu: card.index, memory_total_mb: card.memory_total_mb }
}

function attemptHistory(task) {
  const from = Date.parse(task.started_at ?? task.created_at) / 1000
  const to = task.finished_at ? Date.parse(task.finished_at) / 1000 : Date.now() / 1000
  const step = Math.max(1, Math.ceil((to - from) / 720))
  const points = []
  for (let t = Math.ceil(from); t < to; t += step) {
    const since = t - from
    const memory = 11_200 * (1 - Math.exp(-since / 25)) + 300 * noise(t, task.id)
    points.push({ t, memory_mb: Math.round(memory), memory_peak_mb: Math.round(memory * 1.03), utilization: Math.round(since < 12 ? 4 : 70 + 25 * noise(t, 7)), utilization_peak: Math.round(since < 12 ? 9 : 90 + 10 * noise(t, 8)), temperature: null })
  }
  return { from: new Date(from * 1000).toISOString(), to: new Date(to * 1000).toISOString(), step_seconds: step, points, gpu: task.assigned_gpus?.[0] ?? null, memory_total_mb: 143771 }
}

function usage(days) {
  const share = (tasks, completed, failed, gpu_hours, wait, use, asked, peak) => ({ tasks, completed, failed, cancelled: tasks - completed - failed, gpu_hours, wait_mean_seconds: wait, wait_p95_seconds: wait === null ? null : wait * 4.2, utilization_mean: use, memory_asked_mb: asked, memory_peak_mb: peak, memory_efficiency: asked === null ? null : peak / asked })
  if (days === 1 && process.env.MOCK_CALM === '1') return { from: ago(DAY), to: ago(0), users: [], total: share(0, 0, 0, 0, null, null, null, null) }
  return {
    from: ago(days * DAY), to: ago(0),
    users: [
      { user: 'alice', ...share(41 * days, 36 * days, 3 * days, 61.4 * days, 214, 81.2, 81920, 66120) },
      { user: '陈晨', ...share(12 * days, 9 * days, 3 * days, 23.25 * days, 1440, 54, 40960, 11264) },
      { user: 'bob', ...share(3 * days, 3 * days, 0, 2.1 * days, 12, 11.4, null, null) },
      { user: 'dmitri', ...share(1, 0, 0, 0.04, 3, null, 16384, 15900) },
    ],
    total: share(56 * days + 1, 48 * days, 6 * days, 86.75 * days + 0.04, 502, 70.3, 61000, 43800),
  }
}

const OOM = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.06 GiB is free.'
const DIAGNOSES = [
  { cause: 'oom', line: OOM, advice: 'Ask for more memory.', params: { tried_mib: '2560', total_mib: '80998' }, redo: { memory_gb: 48, env: { PYTORCH_CUDA_ALLOC_CONF: 'expandable_segments:True' } } },
  { cause: 'module_missing', line: "ModuleNotFoundError: No module named 'flash_attn'", advice: 'Install it.', params: { module: 'flash_attn' }, redo: null },
  { cause: 'disk_full', line: 'OSError: [Errno 28] No space left on device', advice: 'Make room.', params: {}, redo: null },
  { cause: 'conda', line: "CondaError: Run 'conda init' before 'conda activate'", advice: 'Source conda.sh.', params: {}, redo: null },
  { cause: 'novel', line: 'something nobody has seen before', advice: 'The server said what to do about it.', params: {}, redo: null },
]

/** Progress, diagnosis and resource use of a task, by its state. */
export function findings(task) {
  const isOver = ['completed', 'failed', 'cancelled'].includes(task.status)
  const total = 120
  const done = Math.min(total, Math.round(((Date.now() - Date.parse(task.started_at)) / 1000 / 3600) * total) % total)
  const stalled = task.id % 4 === 3 ? 1260 : null
  return {
    progress: task.status === 'running' && task.id % 4 !== 0 ? { done, total, percent: (100 * done) / total, unit: task.id % 4 === 1 ? 'epoch' : 'it', per_second: stalled ? null : task.id % 4 === 1 ? 0.034 : 3.71, finish_at: stalled ? null : new Date(Date.now() + (total - done) * 29_000).toISOString(), line: `Epoch ${done}/${total}: 100%|██████████| 500/500 [00:12<00:00, 41.2it/s, loss=0.41]`, stalled_seconds: stalled } : null,
    diagnosis: task.status === 'failed' ? DIAGNOSES[Math.floor(task.id / 5) % DIAGNOSES.length] : null,
    usage: isOver && task.started_at ? { peak_memory_mb: 11_264, mean_memory_mb: 9_830, peak_utilization: 99, mean_utilization: task.id % 5 === 1 ? 7 : 83.4, watched_seconds: 186, memory_asked_mb: task.memory_gb === null ? null : task.memory_gb * 1024, gpu_seconds: 186 } : null,
  }
}
