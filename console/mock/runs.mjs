// Routes of command files, runs, bound logs, rules and settings.

import { Commands } from './commands.mjs'
import { Settings } from './settings.mjs'

const MODES = ['single', 'multi']

export class Lanes {
  constructor(world, answers) {
    this.commands = new Commands(world)
    this.settings = new Settings()
    this.answers = answers
  }

  /** True if the request was handled. */
  route(method, path, query, text, response) {
    const [, , kind, id, verb] = path.split('/')
    const body = text === '' ? {} : JSON.parse(text)
    const to = { ...this.answers, response, query, body }
    if (kind === 'commands') this.command(method, id, verb, to)
    else if (kind === 'log') this.log(method, id, to)
    else if (kind === 'rule' || kind === 'setting') this.entries(method, kind, to)
    else if (kind === 'scheduler' && (MODES.includes(id) || id === 'running' || verb !== undefined)) this.run(id, verb, to)
    else return false
    return true
  }

  command(method, mode, verb, { json, refuse, response, query, body }) {
    const { commands } = this
    const files = commands.files[mode]
    const index = Number(verb ?? query.get('config_index') ?? 0)
    const missing = () => refuse(response, 404, 'command.missing', null, 'There is no such file.')
    if (files === undefined) return refuse(response, 422, 'mode.unknown', 'mode', 'single or multi')
    if (verb === 'list') return json(response, 200, commands.list(mode))
    if (verb === 'new') {
      const free = [...Array(files.size + 1).keys()].find((one) => !files.has(one))
      commands.write(mode, free, body.content ?? '')
      return json(response, 201, commands.config(mode, free))
    }
    if (!files.has(index)) return missing()
    if (method === 'DELETE') {
      if (commands.live(mode, index)) return refuse(response, 409, 'run.already', null, 'It is being run.', { pid: String(commands.live(mode, index).pid) })
      files.delete(index)
      return json(response, 200, { deleted: commands.name(mode, index) })
    }
    if (method === 'PUT') {
      const before = files.get(index)
      commands.write(mode, index, body.content)
      const { problems } = commands.config(mode, index)
      if (problems.length > 0) {
        files.set(index, before)
        return json(response, 400, { detail: `line ${problems[0].line}: ${problems[0].detail}`, code: 'command.bad_block', field: 'content', params: { line: String(problems[0].line) }, problems })
      }
    }
    json(response, 200, commands.config(mode, index))
  }

  run(id, verb, { json, refuse, response, query }) {
    const { commands } = this
    const isLive = (run) => ['running', 'stopping'].includes(run.status)
    if (id === 'running') return json(response, 200, commands.runs.filter(isLive))
    if (verb === 'state') {
      const ofMode = commands.runs.filter((run) => run.mode === id)
      return json(response, 200, ofMode.filter((run) => isLive(run) || run === ofMode.findLast((one) => one.command_file === run.command_file && !isLive(one))))
    }
    const index = Number(query.get('config_index') ?? 0)
    if (verb === 'start') {
      const running = commands.live(id, index)
      if (running) return refuse(response, 409, 'run.already', null, 'It runs already.', { pid: String(running.pid) })
      const config = commands.config(id, index)
      if (config.queues.length === 0) return json(response, 400, { detail: 'Nothing to run.', code: 'command.nothing', field: 'content', params: {}, problems: config.problems })
      const { run, problems } = commands.start(id, index)
      return json(response, 200, { ...run, problems })
    }
    const run = id === 'stop' ? commands.runs.find((one) => one.pid === Number(verb)) : commands.live(id, index)
    if (run === undefined) return refuse(response, 404, 'run.unknown', null, 'There is no such run.')
    if (!isLive(run)) return refuse(response, 409, 'run.not_running', null, 'It does not run.')
    json(response, 200, commands.stop(run))
  }

  log(method, verb, { json, refuse, response, query, body }) {
    const { commands } = this
    if (verb === 'bindings') return json(response, 200, commands.bindings)
    const key = method === 'POST' ? body : Object.fromEntries(query)
    const found = commands.bound(key.mode, Number(key.config_index), Number(key.queue_id), Number(key.task_index))
    if (method === 'POST') {
      if (body.log_path.startsWith('/etc')) return refuse(response, 403, 'log.outside', 'log_path', 'Outside.')
      commands.bindings = commands.bindings.filter((one) => one !== found)
      const binding = { ...body, bound_at: new Date().toISOString() }
      if (body.log_path !== '') commands.bindings.push(binding)
      return json(response, 200, binding)
    }
    if (found === undefined) return refuse(response, 404, 'log.unbound', null, 'Nothing is bound.')
    if (found.log_path.includes('absent')) return refuse(response, 404, 'log.absent', null, 'The file is not there.')
    const count = Math.round(Date.now() / 1000) % 100_000
    json(response, 200, { log_path: found.log_path, truncated: true, lines: Array.from({ length: Number(query.get('tail') ?? 100) }, (_, i) => `\u001b[36mstep ${count - 200 + i}\u001b[0m loss=${(2 / Math.log(i + 2)).toFixed(4)} <b>not markup</b>`) })
  }

  entries(method, kind, { json, response, query, body }) {
    const { settings } = this
    const entries = kind === 'rule' ? settings.rules : settings.settings
    if (method === 'PUT') {
      const refusal = settings.change(entries, body, query.get('persist') === 'false' ? 'in memory' : 'config.yaml:4')
      if (refusal !== null) return json(response, 422, { ...refusal, params: {} })
    }
    json(response, 200, settings[kind]())
  }
}
