// Changing GPUs, tasks and logs, for work on the console without a server.

import { forecast } from './forecast.mjs'
import { findings } from './monitoring.mjs'

const GIB = 1024
const NAMES = ['llama-8b sft', 'resnet50 / imagenet', '数据预处理', 'vit-large ablation 3', 'eval gsm8k', 'whisper-zh 微调', 'diffusion sweep', 'protein fold']
const OWNERS = ['alice', 'bob', '陈晨', 'dmitri']

export class World {
  constructor(taskCount = 60) {
    this.seq = 100
    this.listeners = new Set()
    this.scheduler = { running: true, since: null, by: null }
    this.tasks = new Map()
    this.logs = new Map()
    this.cards = [0, 1, 2, 3, 4, 5].map((index) => this.card(index))
    for (let id = 1; id <= taskCount; id++) this.addTask(id, taskCount)
    this.occupy()
  }

  card(index) {
    const isSmall = index > 3
    const total = isSmall ? 24 * GIB : 143771
    return {
      index, id: index, node: 'local', uuid: `GPU-${index}0c3`, name: isSmall ? 'NVIDIA GeForce RTX 4090' : 'NVIDIA H200',
      status: 'free', is_free: true, memory: {}, memory_total_mb: total, memory_used_mb: 612, memory_free_mb: total - 612,
      utilization_percent: 0, utilization: 0, temperature_c: 31 + index, task_ids: [], assigned_task_id: null, current_task_id: null,
      why: null, released_at: ago(60 * 31), processes: [], holders: [], headroom_mb: 0, mean_utilization_percent: 0, loaded_models: [], fault: null,
    }
  }

  addTask(id, count) {
    const age = (count - id) * 240 + 30
    const status = id > count - 2 ? 'pending' : id > count - 14 ? 'queued' : id > count - 18 ? 'running' : ['completed', 'completed', 'failed', 'completed', 'cancelled'][id % 5]
    const isOver = !['pending', 'queued', 'running'].includes(status)
    const cards = status === 'running' ? [count - 14 - id] : isOver ? [id % 4] : null
    const exit = status === 'completed' ? 0 : status === 'failed' ? 1 : null
    const started = ['pending', 'queued'].includes(status) ? null : ago(age - 4)
    const ended = isOver ? ago(age - 190) : null
    this.tasks.set(id, {
      id, name: `${NAMES[id % NAMES.length]}`, status, phase: isOver ? 'ended' : status,
      priority: id % 11 === 0 ? 'HIGH' : id % 13 === 0 ? 'CRITICAL' : id % 9 === 0 ? 'LOW' : 'NORMAL', owner: OWNERS[id % OWNERS.length], source: 'api',
      devices: status === 'queued' ? ['auto', 'auto', 'cpu', 'auto', '0,1', '2'][id % 6] : 'auto',
      gpu_type: id % 3 === 0 ? null : 'NVIDIA H200', gpu_count: status === 'queued' && id % 2 === 0 ? 4 : 1, min_gpu: 1, max_gpu: status === 'queued' && id % 2 === 0 ? 4 : status === 'pending' ? 2 : 1, share: id % 8 === 0, timeout_seconds: id % 3 === 0 ? 7200 : null,
      model_name: id % 5 === 0 ? 'mace-mp-0' : null, task_type: id % 5 === 0 ? 'relax' : null, structure_n_atoms: id % 5 === 0 ? 128 : null, score: null,
      memory_gb: (id % 4 === 0 && id % 6 !== 2) || id % 25 === 2 ? 40 : null, created_at: ago(age), queued_at: status === 'pending' ? null : ago(age), started_at: started, finished_at: ended,
      assigned_gpus: cards, exit_code: exit, error: status === 'failed' ? 'The command ended with exit code 1.' : null, retry_count: id % 3, max_retries: id % 2 === 0 ? null : 5, lane: id % 3 === 0 ? null : `${1 + (id % 2)}/${id % 4}`, run: id % 3 === 0 ? null : 1 + (id % 2),
      uni_id: id % 3 === 0 ? null : `${id}f3c07ab1`, error_type: status === 'failed' ? 'oom' : null, backoff_until: status === 'queued' && id % 3 === 1 ? new Date(Date.now() + 480_000).toISOString() : null,
      command: 'source ~/miniconda3/etc/profile.d/conda.sh\nconda activate pt212\ncd /data/explist\npython train.py --config configs/h200.yaml \\\n    --num-epochs 10 --lr 3e-4',
      work_dir: '/home/alice/explist', tmux_session: started ? `task_${id}` : null, log_path: started ? `/home/alice/.berth/runtime/tasks/task_${id}/tmux.log` : null,
      env: id % 7 === 0 ? ['SEED', 'WANDB_API_KEY'] : [], position: status === 'queued' ? count - id : null, wait_reasons: status === 'queued' ? this.reasons() : [],
      attempts: started ? [{ number: 1, node: 'local', phase: isOver ? 'ended' : 'running', gpus: cards, pid: 41000 + id, granted_at: started, started_at: started, ended_at: ended, exit_code: exit, error: null }] : [],
    })
    this.logs.set(id, null)
  }

  /** Created on first read, because there may be many tasks. */
  log(task) {
    if (this.logs.get(task.id) === null && task.started_at) this.logs.set(task.id, sampleLog())
    return this.logs.get(task.id) ?? []
  }

  reasons() {
    const held = (gpu) => ({ detail: `GPU ${gpu} is held by task ${56 - gpu}.`, code: 'card.held', params: { gpu: String(gpu), task: String(56 - gpu), attempt: '1' }, parts: [] })
    return [
      { detail: '4 GPUs wanted, 0 would do now.', code: 'cards.short', params: { wanted: '4', fitting: '0' }, parts: [held(0), held(1), held(2), { detail: 'GPU 4 is a NVIDIA GeForce RTX 4090, not a NVIDIA H200.', code: 'card.wrong_model', params: { gpu: '4', model: 'NVIDIA GeForce RTX 4090', wanted: 'NVIDIA H200' }, parts: [] }, { detail: 'GPU 5 carries a process of bob (python, 12.1 GiB).', code: 'card.foreign', params: { gpu: '5', user: 'bob' }, parts: [] }] },
      { detail: 'Task 57 is at the head.', code: 'line.behind', params: { head: '57', position: '2' }, parts: [] },
    ]
  }

  occupy() {
    for (const task of this.tasks.values()) {
      if (task.status !== 'running') continue
      const card = this.cards[task.assigned_gpus[0]]
      if (!card) continue
      const mib = 41000 + task.id * 700
      Object.assign(card, { status: 'busy', is_free: false, task_ids: [task.id], memory_used_mb: mib + 612, released_at: null, temperature_c: 62 + (task.id % 9) })
      card.holders = [{ task_id: task.id, name: task.name, owner: task.owner, since: task.started_at }]
      card.processes = [{ pid: 41000 + task.id, user: task.owner, name: 'python', memory_mb: mib, kind: 'compute', since: task.started_at, task_id: task.id, foreign: false }]
    }
    const shared = this.cards[0]
    const [first] = shared.holders
    if (first) shared.holders.push({ ...first, task_id: first.task_id - 9, name: NAMES[5], owner: OWNERS[2] }), shared.task_ids.push(first.task_id - 9)
    shared.loaded_models = ['mace-mp-0', 'chgnet-0.3.0']
    const foreign = this.cards[5]
    Object.assign(foreign, { status: 'busy', is_free: false, memory_used_mb: 12900 })
    foreign.processes = [
      { pid: 9210, user: 'bob', name: 'jupyter-lab', memory_mb: 12100, kind: 'compute', since: ago(7400), task_id: null, foreign: true },
      { pid: 2211, user: 'root', name: 'Xorg', memory_mb: 188, kind: 'graphics', since: ago(864000), task_id: null, foreign: true },
    ]
    Object.assign(this.cards[4], { status: 'unknown', is_free: false, memory_used_mb: null, memory_free_mb: null, utilization_percent: null, temperature_c: null, why: 'nvidia-smi has not answered for 4 s', released_at: null })
  }

  /** Advances the mock by one second. */
  tick() {
    for (const card of this.cards) {
      if (card.utilization_percent === null) continue
      const goal = card.task_ids.length ? 92 : card.index === 5 ? 34 : 0
      card.utilization_percent = Math.max(0, Math.min(100, Math.round(goal + (goal ? (Math.random() - 0.5) * 24 : 0))))
    }
    this.tell('gpu', this.cards)
    for (const task of this.tasks.values()) {
      if (task.status !== 'running') continue
      const log = this.log(task)
      const step = log.length
      log.push(`\u001b[36mstep ${step}\u001b[0m  loss=\u001b[33m${(2 / Math.log(step + 2)).toFixed(4)}\u001b[0m  lr=3e-4  tok/s=18${step % 100}`)
      this.tell('log', { task_id: task.id, attempt: 1, lines: log.slice(-1), next_offset: log.length, partial: false, gap: false, ended: false })
    }
  }

  change(task, kind) {
    this.seq++
    this.tell('task', { seq: this.seq, at: new Date().toISOString(), kind, actor: 'you', task_id: task.id, attempt: 1, data: {}, task: summary(task) }, this.seq)
  }

  tell(kind, data, id) {
    for (const listener of this.listeners) listener(kind, data, id)
  }

  create(body) {
    const id = Math.max(0, ...this.tasks.keys()) + 1
    this.addTask(id, id)
    const task = this.tasks.get(id)
    const { draft, ...wish } = body
    Object.assign(task, { devices: 'auto', gpu_type: null, gpu_count: 1, max_gpu: 1, memory_gb: null, share: false, timeout_seconds: null, model_name: null, task_type: null, structure_n_atoms: null, owner: 'alice', priority: 'NORMAL', created_at: new Date().toISOString() })
    Object.assign(task, { status: 'pending', phase: 'pending', queued_at: null, position: null, wait_reasons: [] })
    this.patch(task, wish)
    if (draft) return task
    this.enqueue(task)
    setTimeout(() => task.status === 'queued' && this.run(task), 4000)
    return task
  }

  patch(task, wish) {
    const count = String(wish.gpu_count ?? task.gpu_count).split('-').map(Number)
    Object.assign(task, wish, { gpu_count: count[0], max_gpu: count.at(-1), env: Object.keys(wish.env ?? {}) })
    this.change(task, 'task.changed')
    return task
  }

  enqueue(task) {
    Object.assign(task, { status: 'queued', phase: 'queued', queued_at: new Date().toISOString(), position: 2, wait_reasons: this.reasons() })
    this.change(task, 'task.queued')
  }

  run(task) {
    Object.assign(task, { status: 'running', phase: 'running', started_at: new Date().toISOString(), assigned_gpus: [3], wait_reasons: [], position: null, tmux_session: `task_${task.id}` })
    this.change(task, 'task.started')
  }

  turn(isOn) {
    const changed = this.scheduler.running !== isOn
    if (changed) this.scheduler = { running: isOn, since: new Date().toISOString(), by: 'alice' }
    this.tell('queue', this.picture())
    return { ...this.scheduler, changed }
  }

  count(status) {
    return [...this.tasks.values()].filter((task) => task.status === status).length
  }

  picture() {
    return { queued: this.count('queued'), running: this.count('running'), scheduler_running: this.scheduler.running }
  }

  cancel(task) {
    const isRunning = task.status === 'running'
    Object.assign(task, isRunning ? { phase: 'stopping' } : { status: 'cancelled', phase: 'ended', finished_at: new Date().toISOString() })
    this.change(task, 'task.cancelled')
    if (isRunning) setTimeout(() => { Object.assign(task, { status: 'cancelled', phase: 'ended', finished_at: new Date().toISOString() }); this.change(task, 'task.ended') }, 1500)
    return task
  }
}

export function summary(task) {
  const { command: _c, env: _e, wait_reasons: _w, attempts: _a, ...rest } = task
  const { progress, diagnosis } = findings(task)
  return { ...rest, ...expected(task), progress: progress?.percent ?? null, cause: diagnosis?.cause ?? null }
}

/** An older server says nothing about expected times. */
export const expected = (task) => (process.env.MOCK_OLD === '1' ? {} : forecast(task))

const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString()

function sampleLog() {
  const lines = ['===== Scheduler Environment =====', 'PATH: /usr/local/bin:/usr/bin', '\u001b[1;32m✓\u001b[0m loaded \u001b[4mconfigs/h200.yaml\u001b[0m', '\u001b[38;2;255;140;0mtruecolor\u001b[0m \u001b[38;5;135mindexed\u001b[0m \u001b[41mbackground\u001b[0m']
  for (let i = 0; i < 300; i++) lines.push(`epoch ${1 + Math.floor(i / 100)} step ${i} \u001b[2m|\u001b[0m loss ${(3 / Math.log(i + 3)).toFixed(4)}`)
  lines.push('<img src=x onerror=alert(1)> \u202egnp.exe\u202c \u001b]52;c;aGVsbG8=\u0007after-osc', `10%\r20%\r\u001b[32m100%|██████████| 500/500 [00:12<00:00, 41.2it/s]\u001b[0m`, `long ${'x'.repeat(200_000)}`, '\u001b[31mWARNING\u001b[0m 学习率已衰减到 1e-5')
  return lines
}
