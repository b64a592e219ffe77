import { ref } from 'vue'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'berth.theme'
const dark = window.matchMedia('(prefers-color-scheme: dark)')

function stored(): Theme {
  const value = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === value) ?? 'system'
}

export const theme = ref<Theme>(stored())

function paint(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && dark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

export function chooseTheme(next: Theme): void {
  theme.value = next
  localStorage.setItem(KEY, next)
  paint()
}

/** Call it before the first paint. It also follows later changes of the system's theme. */
export function startTheme(): void {
  paint()
  dark.addEventListener('change', paint)
}
