import type { Language } from '@/i18n'

import { Template, type Values } from './template'

// The server renders the same files, see dev.berth.texts.Catalogue.
const FILES: Record<string, string> = import.meta.glob('@texts/*/{advice,alert,cause,error,problem,reason,suggestion}.txt', { query: '?raw', import: 'default', eager: true })
const CATALOGUES: Record<Language, ReadonlyMap<string, Template>> = { en: catalogue('en'), 'zh-CN': catalogue('zh-CN') }

export const keysOf = (language: Language): string[] => [...CATALOGUES[language].keys()]

export const templateFor = (language: Language, key: string): Template | undefined => CATALOGUES[language].get(key)

export type Family = 'advice' | 'alert' | 'cause' | 'problem' | 'reason' | 'suggestion'

function catalogue(language: Language): Map<string, Template> {
  const files = Object.entries(FILES).filter(([path]) => path.includes(`/${language}/`))
  const lines = files.flatMap(([, file]) => file.split('\n')).filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' = ')), Template.parse(line.slice(line.indexOf(' = ') + 3))]))
}

/** The template of a code, by its variant if it has one. `*` stands for the first part of any code. */
export function templateOf(language: Language, family: Family, code: string, variant = ''): Template | undefined {
  const own = `${family}.${code}`
  const any = `${family}.*${code.slice(Math.max(0, code.indexOf('.')))}`
  const keys = variant === '' ? [own, any] : [`${own}.${variant}`, own, `${any}.${variant}`, any]
  return keys.map((key) => CATALOGUES[language].get(key)).find((template) => template !== undefined)
}

/** The sentence of a code; null if this console does not know the code, or a value is missing. */
export function sentence(language: Language, family: Family, code: string, values: Values): string | null {
  const template = templateOf(language, family, code, values.variant)
  if (template === undefined || template.ownNames.some((name) => values[name] === undefined)) return null
  return template.render(values, language)
}
