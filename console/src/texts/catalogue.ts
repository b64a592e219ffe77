import adviceEn from '@texts/en/advice.txt?raw'
import alertEn from '@texts/en/alert.txt?raw'
import causeEn from '@texts/en/cause.txt?raw'
import problemEn from '@texts/en/problem.txt?raw'
import reasonEn from '@texts/en/reason.txt?raw'
import adviceZh from '@texts/zh-CN/advice.txt?raw'
import alertZh from '@texts/zh-CN/alert.txt?raw'
import causeZh from '@texts/zh-CN/cause.txt?raw'
import problemZh from '@texts/zh-CN/problem.txt?raw'
import reasonZh from '@texts/zh-CN/reason.txt?raw'

import type { Language } from '@/i18n'

import { Template, type Values } from './template'

// The server renders the same files, see dev.berth.texts.Catalogue.
const CATALOGUES: Record<Language, ReadonlyMap<string, Template>> = {
  en: catalogue(adviceEn, alertEn, causeEn, problemEn, reasonEn),
  'zh-CN': catalogue(adviceZh, alertZh, causeZh, problemZh, reasonZh),
}

export type Family = 'advice' | 'alert' | 'cause' | 'problem' | 'reason'

function catalogue(...files: string[]): Map<string, Template> {
  const lines = files.flatMap((file) => file.split('\n')).filter((line) => line !== '' && !line.startsWith('#'))
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
