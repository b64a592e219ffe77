import { createI18n } from 'vue-i18n'

import en from './en'
import zhCN from './zh-CN'

export const LANGUAGES = ['zh-CN', 'en'] as const
export type Language = (typeof LANGUAGES)[number]

const KEY = 'berth.language'

/** The stored choice, or else the language that the browser prefers. */
export function preferredLanguage(stored: string | null, browser: readonly string[]): Language {
  if (LANGUAGES.some((language) => language === stored)) return stored as Language
  for (const wanted of browser) {
    if (wanted.toLowerCase().startsWith('zh')) return 'zh-CN'
    if (wanted.toLowerCase().startsWith('en')) return 'en'
  }
  return 'en'
}

export const i18n = createI18n({
  legacy: false,
  locale: preferredLanguage(localStorage.getItem(KEY), navigator.languages),
  fallbackLocale: 'en',
  messages: { en, 'zh-CN': zhCN },
})

export function language(): Language {
  return i18n.global.locale.value as Language
}

/** Sets the language of the document. It stores nothing, so that a later change of the browser's language applies. */
export function applyLanguage(): void {
  document.documentElement.lang = language()
}

export function setLanguage(next: Language): void {
  i18n.global.locale.value = next
  localStorage.setItem(KEY, next)
  applyLanguage()
}
