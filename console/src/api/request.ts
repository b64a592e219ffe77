import { language } from '@/i18n'

import type { Problem } from './problems'

export const TIMEOUT_MS = 10_000

/** A call failed. `status` 0: the server was not reached, or did not answer in time. */
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

/** The caller no longer wants the answer. */
export class CallAborted extends Error {}

export interface Answer<T> {
  body: T
  total: number | null
  /** The server names a next page. */
  hasNext?: boolean
}

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
  /** A status besides 2xx whose body is the answer too. */
  accepts?: number
  /** Aborts the call. */
  signal?: AbortSignal | undefined
}

let unauthorized: () => void = () => undefined

/** Sets what happens when any call is answered with 401. The last handler replaces the ones before. */
export function onUnauthorized(handler: () => void): void {
  unauthorized = handler
}

/** One call of the API, with a timeout of ten seconds. Every error is a CallFailed, or CallAborted after `signal`. */
export async function call<T>(path: string, options: CallOptions = {}): Promise<Answer<T>> {
  const { signal } = options
  if (signal?.aborted) throw new CallAborted(path)
  const end = new AbortController()
  const abort = (): void => end.abort()
  const timer = setTimeout(abort, TIMEOUT_MS)
  signal?.addEventListener('abort', abort)
  try {
    const response = await fetch(path, { ...init(options), signal: end.signal })
    const text = await response.text()
    if (response.status === 401) unauthorized()
    if (!response.ok && response.status !== options.accepts) throw refusalOf(response.status, text)
    const total = response.headers.get('X-Total-Count')
    const hasNext = response.headers.get('Link')?.includes('rel="next"') ?? false
    return { body: parse<T>(text, response.status), total: total === null ? null : Number(total), hasNext }
  } catch (failure) {
    if (failure instanceof CallFailed) throw failure
    if (signal?.aborted) throw new CallAborted(path)
    throw new CallFailed(clientProblem(end.signal.aborted ? 'client.timeout' : 'client.unreachable', failure), 0)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

function init(options: CallOptions): RequestInit {
  const headers: Record<string, string> = { Accept: 'application/json', 'Accept-Language': language(), ...options.headers }
  const request: RequestInit = { method: options.method ?? 'GET', credentials: 'same-origin', cache: 'no-store', headers }
  if (options.body !== undefined) {
    headers['Content-Type'] = 'application/json'
    request.body = JSON.stringify(options.body)
  }
  return request
}

function parse<T>(text: string, status: number): T {
  if (text === '') return undefined as T
  try {
    return JSON.parse(text) as T
  } catch (failure) {
    throw new CallFailed(clientProblem('client.not_json', failure), status)
  }
}

// A proxy may answer with a page of its own instead of JSON.
function refusalOf(status: number, text: string): CallFailed {
  try {
    const problem = JSON.parse(text) as Partial<Problem>
    if (typeof problem.detail === 'string') {
      const { detail, code = '', field = null, params = {}, reasons = [], problems = [] } = problem
      return new CallFailed({ detail, code, field, params, reasons, problems }, status)
    }
  } catch {
    // Not JSON: reported by its status below.
  }
  return new CallFailed({ detail: `HTTP ${status}`, code: 'client.status', field: null, params: { status: String(status) } }, status)
}

function clientProblem(code: string, cause: unknown): Problem {
  return { detail: String(cause), code, field: null, params: { seconds: String(TIMEOUT_MS / 1000) } }
}
