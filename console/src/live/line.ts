import type { Alert } from '@/api/alerts'
import type { LogEvent, QueueState, TaskEvent } from '@/api/events'
import type { Card } from '@/api/wire'

/** How the page learns what happens: by the event stream, by asking every 5 s, or not at all. */
export type Connection = 'connecting' | 'live' | 'polling' | 'offline'

export const POLL_MS = 5_000
export const LOG_POLL_MS = 3_000
const BACKOFF_MS = [500, 1_000, 2_000, 4_000, 5_000]
/** The stream's heartbeat is invisible to a page, so after this much silence it asks whether the server lives. */
export const SILENCE_MS = 15_000
/** A stream that lives this long is a good one, and the next break begins with a short pause again. */
export const STEADY_MS = 5_000
/** A browser allows six connections to a host, and as many hidden tabs would leave none for the next. */
export const HIDDEN_MS = 30_000

type Timer = 'open' | 'poll' | 'log' | 'silence' | 'steady' | 'hidden'

export interface OpenLog {
  id: number
  from: number
}

/** The part of an EventSource that is used. */
export interface Source {
  onopen: (() => void) | null
  onerror: (() => void) | null
  addEventListener(kind: string, listener: (message: { data: string; lastEventId: string }) => void): void
  close(): void
}

/** What the line tells. */
export interface Listener {
  connection(now: Connection): void
  task(event: TaskEvent): void
  cards(cards: Card[]): void
  queue(state: QueueState): void
  alert(alert: Alert): void
  log(event: LogEvent): void
  /**
   * Load what is shown; whole, where something may have been missed. Resolves to whether the server
   * answered.
   */
  reload(isWhole: boolean): Promise<boolean>
  /** Read on in the open log. */
  readLog(): Promise<boolean>
  /** Does the server answer at all? */
  isAlive(): Promise<boolean>
}

/** Opens streams and keeps time; a test brings its own. */
export interface Outside {
  open(url: string): Source
  later(task: () => void, ms: number): number
  never(timer: number): void
}

/**
 * One event stream per tab. While it is down, lists are asked for every 5 s and the open log every
 * 3 s, and the stream is tried again with growing pauses of at most 5 s.
 */
export class Line {
  private readonly listener: Listener
  private readonly outside: Outside
  private source: Source | null = null
  private lastEventId = ''
  private log: OpenLog | null = null
  private failures = 0
  private hasMissed = false
  private connection: Connection = 'connecting'
  private isStarted = false
  private isHidden = false
  private readonly timers = new Map<Timer, number>()

  constructor(listener: Listener, outside: Outside) {
    this.listener = listener
    this.outside = outside
  }

  start(): void {
    if (this.isStarted) return
    this.isStarted = true
    this.say('connecting')
    this.open()
  }

  stop(): void {
    this.isStarted = false
    this.close()
    for (const name of [...this.timers.keys()]) this.cancel(name)
  }

  /** Nobody looks: ask for nothing. An open stream stays for a while, they may come back. */
  hide(): void {
    this.isHidden = true
    for (const name of [...this.timers.keys()]) this.cancel(name)
    if (this.source !== null) this.leaveSoon()
  }

  private leaveSoon(): void {
    this.schedule('hidden', HIDDEN_MS, () => {
      this.close()
      this.hasMissed = true
      this.say('connecting')
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

  /** A browser allows few connections to a host, so a log comes through the one stream there is. */
  follow(log: OpenLog | null): void {
    const isNothing = this.log === null && log === null
    this.log = log
    if (!this.isStarted || isNothing) return
    if (this.source !== null) this.open()
    if (this.isAsking) this.schedule('log', LOG_POLL_MS, () => this.pollLog())
  }

  /** Where to read on when the stream is opened again. */
  hasRead(id: number, nextOffset: number): void {
    if (this.log?.id === id) this.log = { id, from: nextOffset }
  }

  private get isAsking(): boolean {
    return this.timers.has('poll')
  }

  private url(): string {
    const query = new URLSearchParams()
    if (this.lastEventId !== '') query.set('last_event_id', this.lastEventId)
    if (this.log !== null) {
      query.set('log', String(this.log.id))
      query.set('from', String(this.log.from))
    }
    const search = query.toString()
    return search === '' ? '/api/events' : `/api/events?${search}`
  }

  private open(): void {
    this.close()
    this.cancel('open')
    const source = this.outside.open(this.url())
    this.source = source
    if (this.isHidden) this.leaveSoon()
    const isCurrent = (): boolean => this.source === source
    source.onopen = () => isCurrent() && this.opened()
    source.onerror = () => isCurrent() && this.dropped()
    const on = <T>(kind: string, take: (data: T) => void): void =>
      source.addEventListener(kind, (message) => {
        if (!isCurrent()) return
        if (message.lastEventId !== '') this.lastEventId = message.lastEventId
        this.heard()
        take(JSON.parse(message.data) as T)
      })
    on<TaskEvent>('task', (event) => this.listener.task(event))
    on<Card[]>('gpu', (cards) => this.listener.cards(cards))
    on<QueueState>('queue', (state) => this.listener.queue(state))
    on<Alert>('alert', (alert) => this.listener.alert(alert))
    on<LogEvent>('log', (event) => this.listener.log(event))
    on<object>('resync', () => void this.listener.reload(true))
  }

  private close(): void {
    const source = this.source
    this.source = null
    source?.close()
  }

  private opened(): void {
    // Cards have no place in the stream's memory, so after a break they are asked for.
    if (this.hasMissed) void this.listener.reload(true)
    this.hasMissed = false
    this.watchSteady()
    this.heard()
  }

  // A server that cannot read something opens a stream and ends it at once, again and again.
  private watchSteady(): void {
    if (this.isHidden) return
    this.schedule('steady', STEADY_MS, () => {
      this.failures = 0
    })
  }

  private heard(): void {
    this.cancel('poll')
    this.cancel('log')
    this.say('live')
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
    // A quiet second try first: a server that restarts is not worth a change of colour.
    if (this.connection === 'live') this.say('connecting')
    if (this.isHidden) return
    this.schedule('open', pause, () => this.open())
    if (!this.isAsking) this.poll()
  }

  private poll(): void {
    this.schedule('poll', POLL_MS, () => this.poll())
    if (this.log !== null && !this.timers.has('log')) this.schedule('log', LOG_POLL_MS, () => this.pollLog())
    void this.ask(() => this.listener.reload(false))
  }

  private pollLog(): void {
    if (this.log === null) return
    this.schedule('log', LOG_POLL_MS, () => this.pollLog())
    void this.ask(() => this.listener.readLog())
  }

  private async ask(question: () => Promise<boolean>): Promise<void> {
    const isAnswered = await question()
    if (this.isStarted && this.connection !== 'live') this.say(isAnswered ? 'polling' : 'offline')
  }

  private say(connection: Connection): void {
    if (this.connection === connection && connection !== 'connecting') return
    this.connection = connection
    this.listener.connection(connection)
  }

  private schedule(name: Timer, ms: number, task: () => void): void {
    this.cancel(name)
    const timer = this.outside.later(() => {
      this.timers.delete(name)
      task()
    }, ms)
    this.timers.set(name, timer)
  }

  private cancel(name: Timer): void {
    const timer = this.timers.get(name)
    if (timer === undefined) return
    this.timers.delete(name)
    this.outside.never(timer)
  }
}

/** The browser's own. */
export const browser: Outside = {
  open: (url) => new EventSource(url) as unknown as Source,
  later: (task, ms) => window.setTimeout(task, ms),
  never: (timer) => window.clearTimeout(timer),
}
