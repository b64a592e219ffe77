import type { Problem } from './wire'

export const GIVE_UP_MS = 10_000

/** Why a call came to nothing. `status` 0: the server was not reached, or did not answer in time. */
export class CallFailed extends Error {
  readonly problem: Problem
  readonly status: number

  constructor(problem: Problem, status: number) {
    super(problem.detail)
    this.problem = problem
    this.status = status
  }

  get isOffline(): boolean {
    return this.status === 0
  }
}

export interface Answer<T> {
  body: T
  total: number | null
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
}

/** One call of the API, which answers, is refused or gives up after ten seconds. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<Answer<T>> {
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(), GIVE_UP_MS)
  try {
    const response = await fetch(path, { ...init(options), signal: giveUp.signal })
    const text = await response.text()
    if (!response.ok) throw refused(response.status, text)
    const total = response.headers.get('X-Total-Count')
    return { body: read<T>(text, response.status), total: total === null ? null : Number(total) }
  } catch (failure) {
    if (failure instanceof CallFailed) throw failure
    throw new CallFailed(local(giveUp.signal.aborted ? 'client.timeout' : 'client.unreachable', failure), 0)
  } finally {
    clearTimeout(timer)
  }
}

function init(options: CallOptions): RequestInit {
  const headers: Record<string, string> = { Accept: 'application/json', ...options.headers }
  const request: RequestInit = { method: options.method ?? 'GET', credentials: 'same-origin', cache: 'no-store', headers }
  if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json'
    request.body = JSON.stringify(options.body)
  }
  return request
}

function read<T>(text: string, status: number): T {
  if (text === '') return undefined as T
  try {
    return JSON.parse(text) as T
  } catch (failure) {
    throw new CallFailed(local('client.not_json', failure), status)
  }
}

// A proxy in between may answer with a page of its own.
function refused(status: number, text: string): CallFailed {
  try {
    const problem = JSON.parse(text) as Partial<Problem>
    if (typeof problem.detail === 'string') {
      const { detail, code = '', field = null, params = {}, reasons = [], problems = [] } = problem
      return new CallFailed({ detail, code, field, params, reasons, problems }, status)
    }
  } catch {
    // Told below, by its status.
  }
  return new CallFailed({ detail: `HTTP ${status}`, code: 'client.status', field: null, params: { status: String(status) } }, status)
}

function local(code: string, cause: unknown): Problem {
  return { detail: String(cause), code, field: null, params: { seconds: String(GIVE_UP_MS / 1000) } }
}
