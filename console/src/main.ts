import { createPinia } from 'pinia'
import { createApp } from 'vue'

import App from './App.vue'
import { i18n, language, speak } from './i18n'
import { router } from './routes'
import './styles/tokens.css'
import './styles/base.css'
import './styles/log.css'
import './styles/table.css'
import { startTheme } from './theme'

startTheme()
speak(language())
createApp(App).use(createPinia()).use(i18n).use(router).mount('#app')
