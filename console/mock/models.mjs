// Models and their workers in the mock.

const ago = (seconds) => new Date(Date.now() - seconds * 1000).toISOString()

export class Models {
  constructor({ json, refuse }) {
    Object.assign(this, { json, refuse })
    const about = { owner: null, run_as: null, env: ['HF_HOME'], work_dir: '/home/alice/mace', idle_seconds: 1800, configured: false, prewarm: false, set_aside: null, failed_task_id: null, hits: 0, misses: 0, evictions: 0, load_seconds: null, run_seconds: null, workers: [] }
    this.all = new Map(
      [
        { ...about, name: 'mace-mp-0', worker: 'python -m mace.worker --model medium', memory_mb: 6200, prewarm: true, hits: 214, misses: 9, evictions: 1, load_seconds: 14.2, run_seconds: 8.4, workers: [worker('mace-mp-0', 0, 3, 'idle', null), worker('mace-mp-0', 1, 4, 'busy', 44)] },
        { ...about, name: 'chgnet-0.3.0', worker: 'python chgnet_worker.py', memory_mb: 2400, configured: true, hits: 3, misses: 3, load_seconds: 6 },
        { ...about, name: 'broken', worker: 'python -m nothing.here', memory_mb: 4000, misses: 4, set_aside: 'the worker ended with exit code 1 before it was ready', failed_task_id: 8 },
      ].map((model) => [model.name, model]),
    )
  }

  /** True if the request was handled. */
  route(method, path, text, response) {
    const [, , kind, name, verb] = path.split('/')
    if (kind !== 'models') return false
    const model = this.all.get(decodeURIComponent(name ?? ''))
    const body = text === '' ? {} : JSON.parse(text)
    if (name === undefined) this.json(response, 200, [...this.all.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    else if (method === 'PUT') this.save(decodeURIComponent(name), body, response)
    else if (model === undefined) this.refuse(response, 404, 'model.unknown', null, 'There is no such model.', { model: name })
    else this.change(method, model, verb, body.gpu ?? null, response)
    return true
  }

  save(name, body, response) {
    const { env, ...rest } = body
    const before = this.all.get(name) ?? { ...this.all.get('chgnet-0.3.0'), configured: false, workers: [], hits: 0, misses: 0, evictions: 0, load_seconds: null, set_aside: null }
    this.all.set(name, { ...before, ...rest, name, env: env === undefined ? before.env : Object.keys(env ?? {}), memory_mb: rest.memory_mb ?? 4000, idle_seconds: rest.idle_seconds ?? 1800, work_dir: rest.work_dir ?? '/home/alice' })
    this.json(response, 200, this.all.get(name))
  }

  change(method, model, verb, gpu, response) {
    if (method === 'DELETE') this.all.delete(model.name)
    if (verb === 'load') Object.assign(model, { set_aside: null, workers: [...model.workers, worker(model.name, gpu ?? 2, 5, 'loading', null)] })
    if (verb === 'unload') model.workers = model.workers.filter((one) => one.status === 'busy' || (gpu !== null && one.gpu_id !== gpu))
    this.json(response, 200, model)
  }
}

const worker = (model, gpu_id, task_id, status, current_task_id) => ({ model, gpu_id, task_id, pid: 51_000 + gpu_id, status, current_task_id, memory_mb: 5900, since: ago(5400), last_used: ago(40), last_heartbeat: ago(1) })
