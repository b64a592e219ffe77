import { createPinia } from 'pinia'
import { createApp } from 'vue'

import App from './App.vue'
import { applyLanguage, i18n } from './i18n'
import { loadAllPages, router } from './routes'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shared.css'
import './styles/log.css'
import './styles/table.css'
import { startTheme } from './theme'

startTheme()
applyLanguage()
createApp(App).use(createPinia()).use(i18n).use(router).mount('#app')

const BACKGROUND_MS = 1_500
// If it fails, a page is loaded when it is opened.
setTimeout(() => void loadAllPages().catch(() => undefined), BACKGROUND_MS)

// After an update of the server the pages of the old version are gone: the new version opens instead.
router.onError((_, to) => {
  const { href } = router.resolve(to)
  void fetch(href).then((response) => response.ok && location.assign(href), () => undefined)
})
