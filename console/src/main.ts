import { createPinia } from 'pinia'
import { createApp } from 'vue'

import App from './App.vue'
import { applyLanguage, i18n } from './i18n'
import { router } from './routes'
import './styles/tokens.css'
import './styles/base.css'
import './styles/shared.css'
import './styles/log.css'
import './styles/table.css'
import { startTheme } from './theme'

startTheme()
applyLanguage()
createApp(App).use(createPinia()).use(i18n).use(router).mount('#app')
