import styles from './keys.module.css'

const isMac = /Mac/.test(navigator.platform)
const symbols: Record<string, string> = isMac
  ? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↩', ArrowUp: '↑', ArrowDown: '↓' }
  : { Mod: 'Ctrl', ArrowUp: '↑', ArrowDown: '↓' }

/** A shortcut as people see it on their keyboard: `Mod+Shift+P` or `D D`. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className={styles.keys}>
      {keys.split(' ').map((stroke, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a shortcut never changes its order, and `D D` repeats a stroke
        <kbd key={index}>
          {stroke
            .split('+')
            .map(key => symbols[key] ?? key)
            .join(isMac ? '' : '+')}
        </kbd>
      ))}
    </span>
  )
}
