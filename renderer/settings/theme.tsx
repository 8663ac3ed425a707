import { RadioGroup } from 'radix-ui'
import styles from './theme.module.css'
import { choiceWords } from './words.ts'

const themes = ['system', 'light', 'dark'] as const

/** The themes as they look: a small window in each. */
export function ThemeChoice({
  value,
  onChange,
  ...named
}: {
  value: string
  onChange(value: string): void
  'aria-labelledby': string
  'aria-describedby': string
}) {
  return (
    <RadioGroup.Root
      {...named}
      className={styles.themes}
      orientation="horizontal"
      value={value}
      onValueChange={onChange}
    >
      {themes.map(theme => (
        <RadioGroup.Item key={theme} value={theme} className={styles.theme}>
          <span className={styles.previews} aria-hidden>
            {theme !== 'dark' && <Preview scheme="light" />}
            {theme !== 'light' && <Preview scheme="dark" />}
          </span>
          {choiceWords(theme)}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

const Preview = ({ scheme }: { scheme: 'light' | 'dark' }) => (
  <span className={styles.preview} style={{ colorScheme: scheme }}>
    <i className={styles.side} />
    <i className={styles.sheet}>
      <i className={styles.line} />
      <i className={styles.line} />
      <i className={styles.ink} />
    </i>
  </span>
)
