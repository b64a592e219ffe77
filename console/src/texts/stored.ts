import type { Language } from '@/i18n'

import { keysOf, templateFor } from './catalogue'

const FAMILIES = ['error.', 'alert.why.'] as const
/** A sentence may have another one as its value, such as the cause. */
const MAX_DEPTH = 4

// More literal text matches less, so it is tried first.
const KEYS = FAMILIES.flatMap((family) => keysOf('en').filter((key) => key.startsWith(family))).sort((one, other) => literalLength(other) - literalLength(one))

function literalLength(key: string): number {
  const template = templateFor('en', key)!
  return template.render(Object.fromEntries(template.names.map((name) => [name, ''])), 'en').length
}

/**
 * An error or a reason that the server keeps as its English sentence, in the language of the page. A text of
 * something else stays as it is. As dev.berth.texts.StoredSentences.
 */
export function stored(language: Language, text: string, depth = MAX_DEPTH): string {
  if (language === 'en' || depth === 0) return text
  for (const key of KEYS) {
    const values = templateFor('en', key)!.match(text)
    if (values === null) continue
    const inner = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, stored(language, value, depth - 1)]))
    return templateFor(language, key)?.render(inner, language) ?? text
  }
  return text
}
