// Command files of the mock, their runs and bound logs.

const NAMES = { single: 'command_gpu', multi: 'command_gpus' }
const SINGLE = '# baselines\n1\npython train.py --model resnet50 --lr 0.1\n20\n\n1 # the same queue\n"source ~/env.sh"\n"python eval.py --id {uni_id}"\n12.5\n\n2\nbash scripts/run_pipeline.sh car\n20\n\ncd {work_dir}\npython sweep.py --trials 40\n3,8\n'
const BROKEN = '1\npython a.py\n20\n\n2\npython b.py --without-memory\n\nx\npython c.py\n10\n'
const MULTI = '1\ntorchrun --nproc 2 pretrain.py --config configs/very/long/path/to/a/config/that/does/not/fit/h200.yaml\n2-4\n40\n\n2\ntorchrun finetune.py\n1\n24\n'
const now = () => new Date().toISOString()

export class Commands {
  constructor(world) {
    this.world = world
    this.files = { single: new Map(), multi: new Map() }
    this.bindings = []
    this.runs = []
    this.write('single', 0, SINGLE)
    this.write('single', 1, BROKEN)
    this.write('single', 2, '')
    this.write('multi', 0, MULTI)
    this.bindings.push({ mode: 'single', config_index: 0, queue_id: 1, task_index: 0, log_path: 'logs/resnet50.log', bound_at: now() })
    this.start('multi', 0)
    this.start('single', 0)
    this.end(this.start('single', 1).run, 'stopped')
    setInterval(() => this.tick(), 1000)
  }

  write(mode, index, content) {
    this.files[mode].set(index, { content, modified_at: now() })
  }

  name(mode, index) {
    return `${NAMES[mode]}${index === 0 ? '' : `_${index}`}.txt`
  }

  live(mode, index) {
    return this.runs.find((run) => run.mode === mode && run.config_index === index && ['running', 'stopping'].includes(run.status))
  }

  list(mode) {
    return [...this.files[mode].entries()].sort((a, b) => a[0] - b[0]).map(([index, { modified_at }]) => {
      const { queues, problems, running_pid } = this.config(mode, index)
      return { index, config: index + 1, file: this.name(mode, index), tasks: queues.flatMap((queue) => queue.tasks).length, queues: queues.length, problems: problems.length, running_pid, modified_at }
    })
  }

  config(mode, index) {
    const { content } = this.files[mode].get(index)
    const { queues, problems } = parse(content, mode)
    for (const queue of queues) for (const task of queue.tasks) task.log_path = this.bound(mode, index, queue.queue_id, task.task_index)?.log_path ?? null
    return { mode, index, config: index + 1, file: this.name(mode, index), content, queues, problems, running_pid: this.live(mode, index)?.pid ?? null }
  }

  bound(mode, index, queue, task) {
    return this.bindings.find((one) => one.mode === mode && one.config_index === index && one.queue_id === queue && one.task_index === task)
  }

  start(mode, index) {
    const { queues, problems, file } = this.config(mode, index)
    const processes = (queue) => queue.tasks.map((task) => ({
      task_id: 1000 + this.runs.length * 100 + queue.queue_id * 10 + task.task_index, task_index: task.task_index, uni_id: id(), command: task.commands.join('\n'), memory_gb: task.memory_gb, gpu_count: task.gpu_count, gpus: [],
      pid: null, status: 'pending', retry_count: 0, backoff_until: null, error: null, error_type: null, log: `runtime/tasks/task_${queue.queue_id}/tmux.log`, bound_log: task.log_path, left: 20 + Math.round(Math.random() * 30),
    }))
    const run = {
      pid: this.runs.length + 1, mode, config_index: index, command_file: `command/${file}`, status: 'running', owner: 'alice', priority: 'NORMAL', started_at: now(), updated_at: now(), ended_at: null,
      total: 0, pending: 0, running: 0, completed: 0, failed: 0, cancelled: 0, reason: null, problems, log: `logs/scheduler_${mode}_${this.runs.length + 1}.log`,
      queues: Object.fromEntries(queues.map((queue) => [queue.queue_id, { status: 'idle', total: queue.tasks.length, completed: 0, current: null, gpus: [], backoff_until: null, processes: processes(queue) }])),
    }
    this.runs.push(run)
    this.count(run)
    return { run, problems }
  }

  end(run, status) {
    for (const lane of Object.values(run.queues)) for (const one of lane.processes) if (['pending', 'running'].includes(one.status)) Object.assign(one, { status: 'cancelled', gpus: [], pid: null })
    Object.assign(run, { status, ended_at: now() })
    this.count(run)
  }

  stop(run) {
    run.status = 'stopping'
    setTimeout(() => { this.end(run, 'stopped'); this.world.tell('queue', this.world.picture()) }, 2500)
    return run
  }

  /** Advances the lanes. Tasks of the second queue fail now and then and wait for a retry. */
  tick() {
    for (const run of this.runs) {
      if (run.status !== 'running') continue
      for (const [id, lane] of Object.entries(run.queues)) this.step(run, Number(id), lane)
      this.count(run)
      if (run.pending + run.running === 0) this.end(run, 'finished')
      this.world.tell('queue', this.world.picture())
    }
  }

  step(run, queue, lane) {
    const one = lane.processes.find((process) => ['pending', 'running'].includes(process.status))
    if (one === undefined) return
    if (one.backoff_until && Date.parse(one.backoff_until) > Date.now()) return
    if (one.status === 'pending') return void Object.assign(one, { status: 'running', gpus: Array.from({ length: one.gpu_count }, (_, i) => queue + i), pid: 52000 + one.task_id, backoff_until: null })
    if (--one.left > 0) {
      const fails = queue === 2 && run.mode === 'single' && one.retry_count < 3 && one.left % 2 === 0
      if (fails) Object.assign(one, { status: 'pending', gpus: [], pid: null, retry_count: one.retry_count + 1, uni_id: id(), error: 'CUDA out of memory', error_type: 'oom', backoff_until: one.retry_count === 2 ? new Date(Date.now() + 540_000).toISOString() : null })
      return
    }
    Object.assign(one, { status: 'completed', gpus: [], pid: null })
  }

  count(run) {
    const all = Object.values(run.queues).flatMap((lane) => lane.processes)
    run.total = all.length
    for (const status of ['pending', 'running', 'completed', 'failed', 'cancelled']) run[status] = all.filter((one) => one.status === status).length
    for (const lane of Object.values(run.queues)) {
      const current = lane.processes.find((one) => one.status === 'running')
      const resting = lane.processes.find((one) => one.backoff_until && Date.parse(one.backoff_until) > Date.now())
      const isDone = lane.processes.every((one) => !['pending', 'running'].includes(one.status))
      Object.assign(lane, { completed: lane.processes.filter((one) => one.status === 'completed').length, current: current?.task_id ?? null, gpus: current?.gpus ?? [], backoff_until: resting?.backoff_until ?? null, status: current ? 'busy' : resting ? 'backoff' : isDone ? 'done' : 'idle' })
    }
    run.reason = run.status === 'running' && run.running === 0 && run.pending > 0 ? 'Cards are kept free for others (gpu_left: 1); 1 is idle now.' : null
    run.updated_at = now()
  }
}

const id = () => Math.random().toString(16).slice(2, 10) + Math.random().toString(16).slice(2, 10)
const NUMBER = /^\s*(\d+(?:\.\d+)?)\s*(?:#.*)?$/
const COUNT = /^\s*(\d+)(?:-(\d+))?\s*(?:#.*)?$/

function parse(content, mode) {
  const queues = new Map()
  const problems = []
  for (const block of blocks(content)) {
    const read = task(block, mode)
    if (read.code) problems.push({ line: read.line, code: read.code, detail: `Bad block: ${read.code}` })
    else queues.set(read.queue, [...(queues.get(read.queue) ?? []), read])
  }
  return { problems, queues: [...queues.entries()].sort((a, b) => a[0] - b[0]).map(([queue_id, tasks]) => ({ queue_id, tasks: tasks.map(({ queue: _q, ...rest }, task_index) => ({ task_index, ...rest })) })) }
}

function blocks(content) {
  const found = [[]]
  content.split(/\r?\n/).forEach((text, i) => {
    if (text.trim() === '') found.push([])
    else if (!text.startsWith('#')) found.at(-1).push({ text, line: i + 1 })
  })
  return found.filter((block) => block.length > 0)
}

function task(block, mode) {
  const [first, last] = [block[0], block.at(-1)]
  const comma = /^\s*(\d+)\s*,\s*(\d+(?:\.\d+)?)/.exec(last.text)
  if (comma && mode === 'single') return made(block, block.slice(0, -1), Number(comma[1]), Number(comma[2]))
  if (block.length < 2) return { line: first.line, code: 'command.one_line' }
  if (!NUMBER.test(first.text)) return { line: first.line, code: 'command.bad_queue' }
  if (!NUMBER.test(last.text)) return { line: last.line, code: 'command.no_memory' }
  const rest = block.slice(1, -1)
  const count = mode === 'multi' ? COUNT.exec(rest.pop()?.text ?? '') : ['', '1']
  if (count === null) return { line: block.at(-2).line, code: 'command.no_count' }
  if (rest.length === 0) return { line: first.line, code: 'command.no_command' }
  return made(block, rest, Number.parseInt(first.text), Number.parseFloat(last.text), Number(count[1]), Number(count[2] ?? count[1]))
}

const made = (block, lines, queue, memory_gb, gpu_count = 1, max_gpu = gpu_count) => ({ queue, line: block[0].line, commands: lines.map(({ text }) => text.replace(/^"(.*)"$/, '$1')), memory_gb, gpu_count, max_gpu })
