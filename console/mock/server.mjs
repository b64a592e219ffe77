// node mock/server.mjs [PORT]: a mock of the API, and the built console.

import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

import { Forecasts } from './forecast.mjs'
import { Models } from './models.mjs'
import { People } from './people.mjs'
import { Lanes } from './runs.mjs'
import { placement, queue } from './queue.mjs'
import { findings, Watch } from './monitoring.mjs'
import { expected, summary, World } from './world.mjs'

const port = Number(process.argv[2] ?? 29214)
const world = new World(Number(process.env.MOCK_TASKS ?? 60))
const built = process.env.BERTH_CONSOLE_OUT ?? fileURLToPath(new URL('../target/classes/dev/berth/console', import.meta.url))
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
const lanes = new Lanes(world, { json, refuse })
const watch = new Watch(world, { json, refuse })
const forecasts = new Forecasts(world, { json, refuse })
const models = new Models({ json, refuse })
const people = new People({ json, refuse })
/** viewer, user or admin. */
const role = process.env.MOCK_ROLE ?? 'admin'
const ME = 'alice'
let isStranger = process.env.MOCK_STRANGER === '1'
setInterval(() => world.tick(), 1000)

createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost')
  const path = url.pathname
  if (path.startsWith('/login/')) {
    isStranger = false
    return response.writeHead(303, { Location: '/ui/' }).end()
  }
  if (!path.startsWith('/api/') && !path.startsWith('/experiments/')) return page(path, response)
  if (isStranger && path === '/api/login') return login(await textOf(request), response)
  if (isStranger && path !== '/api/health') return refuse(response, 401, 'caller.unknown', null, 'Log in first: berth login')
  if (path === '/api/events') return events(url, request, response)
  route(request.method, path, url.searchParams, await textOf(request), response)
}).listen(port, '127.0.0.1', () => console.log(`ready http://127.0.0.1:${port}/ui/`))

async function textOf(request) {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}

function route(method, path, query, text, response) {
  if (path.startsWith('/experiments/')) return experiment(path, text, response)
  if (people.route(method, path, text, response)) return
  if (lanes.route(method, path, query, text, response)) return
  if (watch.route(method, path, query, text, response)) return
  if (forecasts.route(method, path, query, text, response)) return
  if (models.route(method, path, text, response)) return
  const [, , kind, id, verb] = path.split('/')
  const task = world.tasks.get(Number(id))
  if (kind === 'health') return json(response, 200, { status: 'ok', password_login: process.env.MOCK_PASSWORDS === '1' })
  if (kind === 'me') return json(response, 200, { name: ME, principal: 'unix:alice', admin: role === 'admin', role, via: 'session' })
  if (kind === 'logout') {
    isStranger = true
    return json(response, 200, {})
  }
  if (kind === 'gpus') return json(response, 200, world.cards.map((card) => ({ ...card, reservations: people.windows().filter((one) => one.gpus.includes(card.index)) })))
  if (kind === 'queue') return json(response, 200, queue(world, Number(query.get('limit') ?? 100)))
  if (kind === 'scheduler') return json(response, 200, id === undefined ? { ...world.scheduler, changed: false } : world.turn(id === 'start'))
  if (kind !== 'tasks') return refuse(response, 404, 'path.unknown', null, 'Nothing here.')
  if (id === undefined) return method === 'POST' ? create(text, response) : list(query, response)
  if (task === undefined) return refuse(response, 404, 'task.unknown', null, `There is no task ${id}.`, { task: id })
  if (verb === 'logs') return log(task, path.split('/')[5], query, response)
  if (verb === 'placement') return json(response, 200, placement(world, task))
  if (method === 'PATCH') return change(task, JSON.parse(text), response)
  if (verb === 'cancel') {
    if (!['pending', 'queued', 'running'].includes(task.status)) return refuse(response, 409, 'task.finished', null, 'It has finished.')
    return json(response, 200, world.cancel(task))
  }
  return json(response, 200, role === 'admin' || task.owner === ME ? { ...task, ...findings(task), ...expected(task) } : closed(task))
}

/** What a user sees of another user's task. */
function closed(task) {
  return { ...task, ...expected(task), command: '', work_dir: '', env: [], log_path: null, tmux_session: null, exit_code: null, error: null, error_type: null, attempts: [], params: null }
}

function login(text, response) {
  const { user, password } = JSON.parse(text)
  if (password !== 'secret') return refuse(response, 401, 'login.failed', null, 'The user name or the password is wrong.')
  isStranger = false
  json(response, 200, { name: user })
}

function list(query, response) {
  const sort = query.get('sort') ?? '-id'
  const key = sort.replace('-', '')
  const compare = (a, b) => (String(a[key] ?? '').toLowerCase() < String(b[key] ?? '').toLowerCase() ? -1 : 1)
  const byKey = key === 'id' ? (a, b) => a.id - b.id : compare
  const words = (query.get('q') ?? '').toLowerCase().split(' ').filter(Boolean)
  const isWanted = (task) => words.every((word) => `#${task.id} ${task.name} ${task.owner} ${task.gpu_type ?? ''}`.toLowerCase().includes(word))
  const is = (name, value) => !query.get(name) || query.get(name) === value
  const all = [...world.tasks.values()].filter((task) => is('status', task.status) && is('owner', task.owner) && isWanted(task)).sort((a, b) => (sort.startsWith('-') ? byKey(b, a) : byKey(a, b)))
  const before = Number(query.get('before') ?? Infinity)
  const from = query.get('after') ? all.findIndex((task) => task.id === Number(query.get('after'))) + 1 : 0
  const page = all.slice(from).filter((task) => task.id < before).slice(0, Number(query.get('limit') ?? all.length))
  response.setHeader('X-Total-Count', all.length)
  json(response, 200, page.map(summary))
}

function create(text, response) {
  const body = JSON.parse(text)
  if (body.gpu_count > 4) return refuse(response, 400, 'cards.too_many', 'gpu_count', 'Too many.', { wanted: String(body.gpu_count), exist: '4' })
  json(response, 201, world.create(body))
}

function change(task, wish, response) {
  if (!['pending', 'queued'].includes(task.status)) return refuse(response, 409, 'task.not_waiting', null, 'It does not wait any more.')
  if (wish.gpu_count > 4) return refuse(response, 422, 'gpu_count.invalid', 'gpu_count', 'Too many.', { min: '1', max: '4' })
  json(response, 200, world.patch(task, wish))
}

function experiment(path, text, response) {
  const [, , id, verb] = path.split('/')
  const task = world.tasks.get(Number(id))
  const failed = (code, detail, reasons = []) => json(response, 409, { success: false, message: detail, detail, code, field: null, params: {}, reasons })
  if (task?.status !== 'pending') return failed('task.not_pending', 'It is no draft.')
  if (verb === 'queue') {
    world.enqueue(task)
    return json(response, 200, { success: true, message: '实验已加入队列', experiment: { id: task.id, status: 'queued' } })
  }
  if (!JSON.parse(text).force_start && task.id % 2 === 0) return failed('start.busy', 'Its cards are busy.', placement(world, task).gpus.map((card) => card.refusal).filter(Boolean))
  world.run(task)
  json(response, 200, { success: true, message: '实验已启动', experiment: { id: task.id, status: 'running' } })
}

/** Offsets count lines here. The first two lines are the banner. */
function log(task, what, query, response) {
  const file = world.log(task)
  const number = (name, otherwise) => Number(query.get(name) ?? otherwise)
  if (what === 'raw') return response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Disposition': `attachment; filename="task-${task.id}-attempt-1.log"` }).end(`${file.join('\n')}\n`)
  const begin = query.get('banner') === 'false' ? Math.min(2, file.length) : 0
  if (what === 'search') {
    const all = file.map((text, i) => ({ line: i + 1 - begin, offset: i, text })).slice(begin).filter((one) => one.text.toLowerCase().includes(query.get('q').toLowerCase()))
    const found = all.filter((one) => one.offset >= number('from', 0) && one.offset < number('before', Infinity))
    return json(response, 200, { task_id: task.id, attempt: 1, total: all.length, first: all.indexOf(found[0]), size: file.length, matches: found })
  }
  const end = query.has('from') ? file.length : Math.min(number('before', file.length), file.length)
  const start = Math.max(begin, query.has('from') ? number('from', 0) : end - 200)
  json(response, 200, { task_id: task.id, attempt: 1, lines: file.slice(start, end), start, next_offset: end, partial: false, size: file.length, begin_offset: begin, end_offset: file.length })
}

function events(url, request, response) {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  const logId = Number(url.searchParams.get('log'))
  const send = (kind, data, id) => {
    if (kind === 'log' && data.task_id !== logId) return
    response.write(`${id ? `id: ${id}\n` : ''}event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  if (!url.searchParams.has('last_event_id')) send('resync', {}, world.seq)
  send('queue', world.picture())
  world.listeners.add(send)
  const beat = setInterval(() => response.write(':\n\n'), 15_000)
  request.on('close', () => {
    clearInterval(beat)
    world.listeners.delete(send)
  })
}

async function page(path, response) {
  if (!path.startsWith('/ui/')) return response.writeHead(302, { Location: '/ui/' }).end()
  const name = normalize(path.slice(4))
  const file = extname(name) === '' || name.startsWith('..') ? 'index.html' : name
  try {
    const body = await readFile(join(built, file))
    response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream', 'Content-Security-Policy': CSP }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}

function json(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

function refuse(response, status, code, field, detail, params = {}) {
  json(response, status, { detail, code, field, params })
}
