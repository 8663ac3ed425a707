import { resolve } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { workers } from './src/places.ts'

const at = (path: string) => resolve(import.meta.dirname, path)
const workerEntries = Object.fromEntries(
  Object.entries(workers).map(([name, file]) => [`${name}.worker`, at(`src/${file}`)]),
)

const telemetry = ['resources', 'sdk-metrics', 'sdk-trace-node'].map(name => `@opentelemetry/${name}`)

export default defineConfig({
  main: {
    build: {
      sourcemap: true,
      // Hundreds of small files, each found, read and compiled by itself, would take longer to start than all of our own code.
      externalizeDeps: { exclude: ['unbash', 'kysely', 'yaml', ...telemetry] },
      rollupOptions: {
        input: { main: at('electron/main.ts'), cli: at('src/doors/cli/entry.ts'), ...workerEntries },
        // Flat: `src/places.ts` finds workers and resources from wherever its own code was put.
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      externalizeDeps: false,
      rollupOptions: {
        input: { preload: at('electron/preload.ts') },
        // A sandboxed renderer loads its preload as CommonJS only.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('renderer'),
    plugins: [react()],
    // Markdown is parsed in a worker, which has no document; the browser's form of this module wants one.
    resolve: {
      alias: { 'decode-named-character-reference': at('node_modules/decode-named-character-reference/index.js') },
    },
    build: {
      minify: true,
      target: 'chrome140',
      rollupOptions: { input: at('renderer/index.html') },
      chunkSizeWarningLimit: 4000,
    },
  },
})
