import { fileURLToPath } from 'node:url'

import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

// The server for `npm run dev`: `./berth serve --auth none`, or the mock.
const server = process.env.BERTH_URL ?? 'http://127.0.0.1:29214'
const reports = process.env.BERTH_REPORTS

export default defineConfig({
  base: '/ui/',
  plugins: [vue()],
  resolve: { alias: { '@texts': fileURLToPath(new URL('../texts/src/main/resources/dev/berth/texts', import.meta.url)), '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  define: {
    __VUE_OPTIONS_API__: false,
    __VUE_PROD_DEVTOOLS__: false,
    __VUE_I18N_FULL_INSTALL__: false,
    __VUE_I18N_LEGACY_API__: false,
    __INTLIFY_PROD_DEVTOOLS__: false,
    __INTLIFY_JIT_COMPILATION__: true,
  },
  build: {
    outDir: process.env.BERTH_CONSOLE_OUT ?? 'target/classes/dev/berth/console',
    emptyOutDir: true,
    // The content security policy forbids data: URLs.
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    target: 'es2022',
  },
  server: {
    port: 5173,
    strictPort: true,
    // The catalogue of messages is in another module.
    fs: { allow: ['.', '../texts/src/main/resources'] },
    // The server refuses foreign origins, so the proxy sends the server's own origin.
    proxy: {
      '/api': { target: server, changeOrigin: true, headers: { origin: server } },
      '/experiments': { target: server, changeOrigin: true, headers: { origin: server } },
      '/login': { target: server, changeOrigin: true },
    },
  },
  test: {
    environment: 'happy-dom',
    include: ['test/**/*.test.ts'],
    reporters: reports ? ['default', ['junit', { outputFile: `${reports}/TEST-console.xml`, suiteName: 'console' }]] : ['default'],
  },
})
