import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = process.env.GANGWAY_URL ?? 'http://127.0.0.1:8080'
const proxy = Object.fromEntries(
  ['/v1', '/api', '/client', '/get_settings', '/provision_device', '/openapi.json'].map((path) => [
    path,
    { target: server, ws: true, changeOrigin: false },
  ]),
)

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: {
    alias: { '@gangway/client': fileURLToPath(new URL('../client/src/index.ts', import.meta.url)) },
  },
  build: {
    outDir: 'dist',
    // Not `assets`, which is a page.
    assetsDir: 'static',
    target: 'es2022',
    // Everything is a file of the origin: the policy allows no data: script or style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    chunkSizeWarningLimit: 700,
  },
  server: { proxy },
  preview: { proxy },
})
