import { createPinia, setActivePinia } from 'pinia'
import { vi } from 'vitest'
import { createApp, type App as VueApp } from 'vue'

import { i18n, setLanguage } from '@/i18n'
import { router } from '@/routes'
import { toasts } from '@/ui/toasts'

import type { Handler } from './fakes'

// Tests replace the timers of pages.
const realTimeout = globalThis.setTimeout

/** A mounted page with a server that answers what a test says. Finds, clicks and types. */
export class MountedPage {
  handler: Handler = () => new Response('[]')
  asked: string[] = []
  private app: VueApp | null = null
  private root: HTMLElement | null = null

  set(): void {
    setLanguage('en')
    toasts.value = []
    this.asked = []
    vi.stubGlobal('fetch', (path: string, init?: RequestInit) => {
      this.asked.push(`${init?.method} ${path} ${String(init?.body ?? '')}`.trim())
      return Promise.resolve().then(() => this.handler(path, init))
    })
  }

  clear(): void {
    this.app?.unmount()
    this.root?.remove()
    this.app = null
    vi.unstubAllGlobals()
  }

  /** `prepare` runs when the stores exist and the page does not. */
  async mount(component: Parameters<typeof createApp>[0], props: Record<string, unknown> = {}, prepare: () => void = () => undefined): Promise<void> {
    const pinia = createPinia()
    setActivePinia(pinia)
    prepare()
    this.root = document.createElement('div')
    document.body.append(this.root)
    this.app = createApp(component, props).use(pinia).use(router).use(i18n)
    this.app.mount(this.root)
    await this.settle()
  }

  /**
   * Waits until all answers are read and shown, by the real clock: Vue ignores an event that bubbles to a listener
   * of the same millisecond.
   */
  async settle(): Promise<void> {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => realTimeout(resolve, 1))
  }

  part(id: string): HTMLElement | null {
    return this.root?.querySelector(`[data-testid="${id}"]`) ?? null
  }

  text(id: string): string | null {
    return this.part(id)?.textContent ?? null
  }

  value(id: string): string {
    return (this.part(id) as HTMLInputElement).value
  }

  async click(id: string): Promise<void> {
    this.part(id)!.click()
    await this.settle()
  }

  async type(id: string, value: string): Promise<void> {
    const field = this.part(id) as HTMLInputElement
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
    await this.settle()
  }

  async choose(id: string, value: string): Promise<void> {
    const field = this.part(id) as HTMLSelectElement
    field.value = value
    field.dispatchEvent(new Event('change', { bubbles: true }))
    await this.settle()
  }

  async submit(id: string): Promise<void> {
    this.part(id)!.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
    await this.settle()
  }

  /** What was asked by this method, without those that only look. */
  sent(method: string): string[] {
    return this.asked.filter((one) => one.startsWith(method))
  }
}
