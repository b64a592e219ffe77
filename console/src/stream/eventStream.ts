import type { Alert } from '@/api/alerts'
import type { LogEvent, QueueState, TaskEvent } from '@/api/events'
import type { Gpu } from '@/api/gpus'

/** How the page gets updates: by the event stream (live), by polling, or not at all. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline'

export const POLL_MS = 5_000
export const LOG_POLL_MS = 3_000
const BACKOFF_MS = [500, 1_000, 2_000, 4_000, 5_000]
/** EventSource hides the server's heartbeat, so after this time without an event the page calls the server. */
export const SILENCE_MS = 15_000
/** After a stream has lasted this long, the backoff starts from its shortest pause again. */
export const STEADY_MS = 5_000
/** Hidden tabs close their stream after this time: a browser allows six connections to a host. */
export const HIDDEN_MS = 30_000

type Timer = 'open' | 'poll' | 'log' | 'silence' | 'steady' | 'hidden'

export interface FollowedLog {
  id: number
  from: number
  /** Also what Berth writes before and after the task's own output. */
  banner: boolean
}

/** The part of EventSource that is used. */
export interface Source {
  onopen: (() => void) | null
  onerror: (() => void) | null
  addEventListener(kind: string, listener: (message: { data: string; lastEventId: string }) => void): void
  close(): void
}

/** Receives what the stream carries, and loads what it cannot carry. */
export interface StreamListener {
  connection(now: Connection): void
  task(event: TaskEvent): void
  gpus(gpus: Gpu[]): void
  queue(state: QueueState): void
  alert(alert: Alert): void
  /** A model was saved or removed. */
  model(): void
  log(event: LogEvent): void
  /**
   * Loads what is shown. `isWhole`: events may have been missed, so older data is loaded too. Resolves
   * to true if the server answered.
   */
  reload(isWhole: boolean): Promise<boolean>
  /** Reads further in the followed log. Resolves to true if the server answered. */
  readLog(): Promise<boolean>
  /** Resolves to true if the server answers. */
  isAlive(): Promise<boolean>
}

/** Opens streams and sets timers. Tests replace it. */
export interface StreamEnvironment {
  open(url: string): Source
  setTimer(task: () => void, ms: number): number
  clearTimer(timer: number): void
}

/**
 * The event stream of a tab. While it is down, lists are polled every 5 s and the followed log every
 * 3 s, and the stream is opened again after growing pauses of at most 5 s.
 */
export class EventStream {
  private readonly listener: StreamListener
  private readonly environment: StreamEnvironment
  private source: Source | null = null
  private lastEventId = ''
  private log: FollowedLog | null = null
  private failures = 0
  private hasMissed = false
  private connection: Connection = 'connecting'
  private isStarted = false
  private isHidden = false
  private readonly timers = new Map<Timer, number>()

  constructor(listener: StreamListener, environment: StreamEnvironment) {
    this.listener = listener
    this.environment = environment
  }

  start(): void {
    if (this.isStarted) return
    this.isStarted = true
    this.setConnection('connecting')
    this.open()
  }

  stop(): void {
    this.isStarted = false
    this.close()
    for (const name of [...this.timers.keys()]) this.cancel(name)
  }

  /** The tab was hidden: polling stops at once, the stream only after a while, since the user may come back. */
  hide(): void {
    this.isHidden = true
    for (const name of [...this.timers.keys()]) this.cancel(name)
    if (this.source !== null) this.closeSoon()
  }

  private closeSoon(): void {
    this.schedule('hidden', HIDDEN_MS, () => {
      this.close()
      this.hasMissed = true
      this.setConnection('connecting')
    })
  }

  show(): void {
    this.isHidden = false
    this.cancel('hidden')
    if (!this.isStarted) return
    if (this.source === null || this.connection !== 'live') {
      this.failures = 0
      this.open()
      this.poll()
    } else {
      this.watchSilence()
      this.watchSteady()
    }
  }

  /** The log comes through this stream too, because a browser allows few connections to a host. */
  follow(log: FollowedLog | null): void {
    const isNothing = this.log === null && log === null
    this.log = log
    if (!this.isStarted || isNothing) return
    if (this.source !== null) this.open()
    if (this.isPolling) this.schedule('log', LOG_POLL_MS, () => this.pollLog())
  }

  /** Records the offset from which the log is continued when the stream is opened again. */
  hasRead(id: number, nextOffset: number): void {
    if (this.log?.id === id) this.log = { ...this.log, from: nextOffset }
  }

  private get isPolling(): boolean {
    return this.timers.has('poll')
  }

  private url(): string {
    const query = new URLSearchParams()
    if (this.lastEventId !== '') query.set('last_event_id', this.lastEventId)
    if (this.log !== null) {
      query.set('log', String(this.log.id))
      query.set('from', String(this.log.from))
      if (!this.log.banner) query.set('banner', 'false')
    }
    const search = query.toString()
    return search === '' ? '/api/events' : `/api/events?${search}`
  }

  private open(): void {
    this.close()
    this.cancel('open')
    const source = this.environment.open(this.url())
    this.source = source
    if (this.isHidden) this.closeSoon()
    const isCurrent = (): boolean => this.source === source
    source.onopen = () => isCurrent() && this.opened()
    source.onerror = () => isCurrent() && this.dropped()
    const on = <T>(kind: string, take: (data: T) => void): void =>
      source.addEventListener(kind, (message) => {
        if (!isCurrent()) return
        if (message.lastEventId !== '') this.lastEventId = message.lastEventId
        this.receivedSomething()
        take(JSON.parse(message.data) as T)
      })
    on<TaskEvent>('task', (event) => this.listener.task(event))
    on<Gpu[]>('gpu', (gpus) => this.listener.gpus(gpus))
    on<QueueState>('queue', (state) => this.listener.queue(state))
    on<Alert>('alert', (alert) => this.listener.alert(alert))
    on<LogEvent>('log', (event) => this.listener.log(event))
    on<object>('model', () => this.listener.model())
    on<object>('removed', () => void this.listener.reload(true))
    on<object>('resync', () => void this.listener.reload(true))
  }

  private close(): void {
    const source = this.source
    this.source = null
    source?.close()
  }

  private opened(): void {
    // The server replays task events only, so everything else is loaded after a break.
    if (this.hasMissed) void this.listener.reload(true)
    this.hasMissed = false
    this.watchSteady()
    this.receivedSomething()
  }

  // A server with an I/O problem may open a stream and end it at once, again and again: that is not success.
  private watchSteady(): void {
    if (this.isHidden) return
    this.schedule('steady', STEADY_MS, () => {
      this.failures = 0
    })
  }

  private receivedSomething(): void {
    this.cancel('poll')
    this.cancel('log')
    this.setConnection('live')
    this.watchSilence()
  }

  private watchSilence(): void {
    if (this.isHidden) return
    this.schedule('silence', SILENCE_MS, async () => {
      const source = this.source
      const isAlive = await this.listener.isAlive()
      if (this.source !== source || source === null) return
      if (isAlive) this.watchSilence()
      else this.dropped()
    })
  }

  private dropped(): void {
    this.close()
    this.cancel('silence')
    this.cancel('steady')
    this.cancel('hidden')
    if (!this.isStarted) return
    this.hasMissed = true
    const pause = BACKOFF_MS[Math.min(this.failures, BACKOFF_MS.length - 1)]!
    this.failures++
    // Not `offline` yet: a server that restarts is back at once.
    if (this.connection === 'live') this.setConnection('connecting')
    if (this.isHidden) return
    this.schedule('open', pause, () => this.open())
    if (!this.isPolling) this.poll()
  }

  private poll(): void {
    this.schedule('poll', POLL_MS, () => this.poll())
    if (this.log !== null && !this.timers.has('log')) this.schedule('log', LOG_POLL_MS, () => this.pollLog())
    void this.pollWith(() => this.listener.reload(false))
  }

  private pollLog(): void {
    if (this.log === null) return
    this.schedule('log', LOG_POLL_MS, () => this.pollLog())
    void this.pollWith(() => this.listener.readLog())
  }

  private async pollWith(load: () => Promise<boolean>): Promise<void> {
    const isAnswered = await load()
    if (this.isStarted && this.connection !== 'live') this.setConnection(isAnswered ? 'polling' : 'offline')
  }

  private setConnection(connection: Connection): void {
    if (this.connection === connection && connection !== 'connecting') return
    this.connection = connection
    this.listener.connection(connection)
  }

  private schedule(name: Timer, ms: number, task: () => void): void {
    this.cancel(name)
    const timer = this.environment.setTimer(() => {
      this.timers.delete(name)
      task()
    }, ms)
    this.timers.set(name, timer)
  }

  private cancel(name: Timer): void {
    const timer = this.timers.get(name)
    if (timer === undefined) return
    this.timers.delete(name)
    this.environment.clearTimer(timer)
  }
}

export const browser: StreamEnvironment = {
  open: (url) => new EventSource(url) as unknown as Source,
  setTimer: (task, ms) => window.setTimeout(task, ms),
  clearTimer: (timer) => window.clearTimeout(timer),
}
